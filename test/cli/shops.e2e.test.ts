import { BYSTANDER } from '../support/bystander.ts';
import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { jsonLines } from '../support/json-lines.ts';
import { withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { runInProcess } from '../support/run-in-process.ts';

test('the life of a shop on the command line: listed, retired, restored, renamed, moved to its zone, deleted', async () => {
  await using simulator = await startSimulator({ orders: 12, days: 3, seed: 1 });
  await using database = await freshDatabase();
  const env = { ...settingsFor(simulator, database.url), SHOP_KEY: 'north', SHOP_TIMEZONE: 'Europe/Moscow' };
  const run = async (args: string, code: number, given: Readonly<Record<string, string>> = env) => {
    const outcome = await runInProcess(args.split(' '), given);
    expect(outcome, `${args}: ${outcome.stderr}`).toMatchObject({ code });
    return `${outcome.stdout}${outcome.stderr}`;
  };
  const listed = async (given = env) => {
    const [bystander, ...others] = jsonLines(await run('shops --json', 0, given));
    expect(bystander).toMatchObject({ shop: BYSTANDER, is_configured: false });
    return others;
  };

  await run('backfill --json', 0);
  const north = { shop: 'north', base_url: simulator.url, timezone: 'Europe/Moscow', orders: 12 };
  expect(await listed()).toEqual([
    { ...north, retired_at: null, paused_at: null, deletion_started_at: null, is_configured: true },
  ]);
  expect(await run('shops retire north', 0)).toContain('order-sync shops restore north');
  expect(await run('shops', 0)).toMatch(/^north .* 12 +yes +retired since \d{4}-\d\d-\d\d$/m);
  expect(await run('sync', 1)).toMatch(
    /Shop north was retired on .*order-sync shops restore north brings it back/,
  );
  await run('shops restore north', 0);

  expect(await run('shops rename north south', 0)).toContain('Set SHOP_KEY');
  expect(await run('sync', 1)).toContain('Shop north was renamed to south');
  const renamed = { ...env, SHOP_KEY: 'south' };
  const moved = { ...renamed, SHOP_TIMEZONE: 'Europe/Berlin' };
  expect(await run('sync', 1, moved)).toContain('order-sync shops set-timezone south Europe/Berlin');
  expect(await run('shops set-timezone south Europe/Berlin', 0, moved)).toContain('not in Europe/Moscow');

  const [document] = jsonLines(await run('shops rename south west --json', 0, moved));
  expect(document).toMatchObject({ shop: 'west', change: 'renamed', status: 'ok' });
  await run('shops rename west south', 0, moved);

  // More than are deleted at once.
  await withClient(database.url, (client) =>
    client.query(`INSERT INTO ops.days (shop_id, day) SELECT shop_id, DATE '1990-01-01' + n
      FROM core.shops, generate_series(1, 5001) AS n WHERE shop_key = 'south'`),
  );
  expect(await run('shops delete south', 2, moved)).toMatch(/core\.orders +12\n[^]*Add --yes/);
  expect(await listed(moved)).toMatchObject([{ shop: 'south', orders: 12, timezone: 'Europe/Berlin' }]);
  expect(await run('shops delete south --yes', 0, moved)).toMatch(
    /ops\.days +5,00\d\n[^]*core\.orders +12\n[^]*Shop south is deleted\.\n.*still configured/,
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
  const paused = /Shop north.* paused since 20\d\d-.* UTC; order-sync resume north brings it back/;

  await run('backfill', 0);
  expect(await run('pause north', 0)).toContain('order-sync resume north');
  await run('pause north', 0);
  simulator.shop.insertOrder();
  const listed = simulator.shop.orders().length;
  expect(await run('sync', 0)).toMatch(paused);
  expect(await run('sync --json', 0)).toBe('');
  expect(await run('sync --order 100001', 1)).toMatch(paused);
  expect(await run('verify', 1)).toMatch(paused);
  expect(await run('status', 0)).toMatch(
    /Shop north.* paused since 20[^]*order-sync resume north` brings it back/,
  );
  expect(await run('shops', 0)).toMatch(/^north .* yes +paused since \d{4}-\d\d-\d\d$/m);
  expect(await orders()).toMatchObject([{ orders: listed - 1 }]);
  expect(await run('resume north', 0)).toContain('is synced again');
  expect(await run('backfill --force', 0)).not.toContain('paused');
  expect(await orders()).toMatchObject([{ orders: listed }]);
});
