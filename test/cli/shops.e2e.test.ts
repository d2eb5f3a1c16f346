import { expect, test } from 'vitest';

import { BYSTANDER } from '../support/bystander.ts';
import { jsonLines } from '../support/json-lines.ts';
import { openShop, type ShopOfCommands } from '../support/shop-of-commands.ts';

/** Runs a command line that ends with this code. @returns all that it prints */
const printed =
  (shop: ShopOfCommands) =>
  async (line: string, code: number, env: Readonly<Record<string, string>> = {}) => {
    const outcome = await shop.run(line, env);
    expect(outcome, `${line}: ${outcome.stderr}`).toMatchObject({ code });
    return `${outcome.stdout}${outcome.stderr}`;
  };
const SHOP = { orders: 12, days: 3, seed: 1 };

test('the life of a shop on the command line: listed, moved to its zone, deleted', async () => {
  await using shop = await openShop(SHOP, { SHOP_KEY: 'north', SHOP_TIMEZONE: 'Europe/Moscow' });
  const run = printed(shop);
  await run('backfill --json', 0);
  expect(await run('shops', 0)).toMatch(/^north .* Europe\/Moscow +12 +yes +synced$/m);
  expect(await run('shops', 0)).toMatch(new RegExp(`^${BYSTANDER} .* no +being deleted since `, 'm'));

  const moved = { SHOP_TIMEZONE: 'Europe/Berlin' };
  expect(await run('sync', 1, moved)).toContain('order-sync shops set-timezone north Europe/Berlin');
  expect(await run('shops set-timezone north Europe/Berlin', 0, moved)).toContain('not in Europe/Moscow');

  // More than are deleted at once.
  await shop.query(`INSERT INTO ops.days (shop_id, day) SELECT shop_id, DATE '1990-01-01' + n
    FROM core.shops, generate_series(1, 5001) AS n WHERE shop_key = 'north'`);
  expect(await run('shops delete north', 1, moved)).toMatch(
    /core\.orders +12\n[^]*Nothing was deleted[.] order-sync shops delete north --yes deletes these rows/,
  );
  expect(await run('shops', 0, moved)).toMatch(/^north .* Europe\/Berlin +12 +yes +synced$/m);
  expect(await run('shops delete north --yes', 0, moved)).toMatch(
    /ops\.days +5,00\d\n[^]*core\.orders +12\n[^]*Shop north is deleted\.\n.*still configured/,
  );
});

test('sync of a paused shop does nothing and says so, status says since when; resumed, it catches up', async () => {
  await using shop = await openShop(SHOP, { SHOP_KEY: 'north' });
  const { simulator } = shop;
  const run = printed(shop);
  const orders = async () => jsonLines(await run('status --shop north --json', 0));
  const paused = /Shop north.* paused since 20\d\d-.* UTC; order-sync shops resume north brings it back/;

  await run('backfill', 0);
  expect(await run('shops pause north', 0)).toContain('order-sync shops resume north');
  await run('shops pause north', 0);
  simulator.shop.insertOrder();
  const listed = simulator.shop.orders().length;
  expect(await run('sync', 0)).toMatch(paused);
  expect(await run('sync --json', 0)).toBe('');
  expect(await run('sync --order 100001', 1)).toMatch(paused);
  expect(await run('verify', 1)).toMatch(paused);
  expect(await run('status', 0)).toMatch(
    /Shop north.* paused since 20[^]*order-sync shops resume north` brings it back/,
  );
  expect(await run('shops', 0)).toMatch(/^north .* yes +paused since \d{4}-\d\d-\d\d$/m);
  expect(await orders()).toMatchObject([{ orders: listed - 1 }]);
  expect(await run('shops resume north', 0)).toContain('is synced again');
  expect(await run('backfill --force', 0)).not.toContain('paused');
  expect(await orders()).toMatchObject([{ orders: listed }]);
});
