import { BYSTANDER } from '../support/bystander.ts';
import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { jsonLines } from '../support/json-lines.ts';
import { withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { runInProcess } from '../support/run-in-process.ts';

test('the life of a shop on the command line: listed, moved to its zone, deleted', async () => {
  await using simulator = await startSimulator({ orders: 12, days: 3, seed: 1 });
  await using database = await freshDatabase();
  const env = { ...settingsFor(simulator, database.url), SHOP_KEY: 'north', SHOP_TIMEZONE: 'Europe/Moscow' };
  const run = async (args: string, code: number, given: Readonly<Record<string, string>> = env) => {
    const outcome = await runInProcess(args.split(' '), given);
    expect(outcome, `${args}: ${outcome.stderr}`).toMatchObject({ code });
    return `${outcome.stdout}${outcome.stderr}`;
  };
  await run('backfill --json', 0);
  expect(await run('shops', 0)).toMatch(/^north .* Europe\/Moscow +12 +yes +synced$/m);
  expect(await run('shops', 0)).toMatch(new RegExp(`^${BYSTANDER} .* no +being deleted since `, 'm'));

  const moved = { ...env, SHOP_TIMEZONE: 'Europe/Berlin' };
  expect(await run('sync', 1, moved)).toContain('order-sync shops set-timezone north Europe/Berlin');
  expect(await run('shops set-timezone north Europe/Berlin', 0, moved)).toContain('not in Europe/Moscow');

  // More than are deleted at once.
  await withClient(database.url, (client) =>
    client.query(`INSERT INTO ops.days (shop_id, day) SELECT shop_id, DATE '1990-01-01' + n
      FROM core.shops, generate_series(1, 5001) AS n WHERE shop_key = 'north'`),
  );
  expect(await run('shops delete north', 2, moved)).toMatch(/core\.orders +12\n[^]*Add --yes/);
  expect(await run('shops', 0, moved)).toMatch(/^north .* Europe\/Berlin +12 +yes +synced$/m);
  expect(await run('shops delete north --yes', 0, moved)).toMatch(
    /ops\.days +5,00\d\n[^]*core\.orders +12\n[^]*Shop north is deleted\.\n.*still configured/,
  );
});

test('a paused shop is left alone: sync does nothing and says so, status says since when; resumed, it catches up', async () => {
  await using simulator = await startSimulator({ orders: 12, days: 3, seed: 1 });
  await using database = await freshDatabase();
  const env = { ...settingsFor(simulator, database.url), SHOP_KEY: 'north' };
  const run = async (args: string, code: number) => {
    const outcome = await runInProcess(args.split(' '), env);
    expect(outcome, `${args}: ${outcome.stderr}`).toMatchObject({ code });
    return `${outcome.stdout}${outcome.stderr}`;
  };
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
