import { Client } from 'pg';
import { expect, test, vi } from 'vitest';

import { IS_LONG } from '../../../support/long.ts';
import { FORCED, openOwnShop, openShop, PRESENT } from '../../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-10T02:00:00Z');
const SYNCS = IS_LONG ? 4_140 : 40;
const WARM_UP = 20;
/** With the dead rows of so many, the tables that each writes to are due. */
const SYNCS_PER_VACUUM = 50;
/** A row that is written over and over needs the room of its last versions, which are reused. */
const MAX_GROWTH_PAGES = 3;
const PAGE = 8_192;

async function sizes(client: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT c.oid::regclass::text AS name, pg_total_relation_size(c.oid) AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname IN ('ops', 'core')`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** How many rows each table has, which shows growth long before a page is full. */
async function countRows(client: Client): Promise<ReadonlyMap<string, number>> {
  const tables = [...(await sizes(client)).keys()];
  const counts = tables.map((name) => `SELECT '${name}' AS name, count(*)::int AS rows FROM ${name}`);
  const { rows } = await client.query<{ name: string; rows: number }>(counts.join(' UNION ALL '));
  return new Map(rows.map((row) => [row.name, row.rows]));
}

async function runs(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ run: string }>(
    `SELECT concat_ws(' ', kind, status, orders_new, orders_changed) AS run FROM tested.runs ORDER BY run_id`,
  );
  return rows.map(({ run }) => run);
}

test(`${SYNCS} syncs without a change add no run, and no table grows`, async () => {
  const { client, clock, rows, sweep } = await openShop({ orders: 12, days: 3, now: NOW });
  const sync = async () => {
    clock.pass({ minutes: 5 });
    return await sweep({ kind: 'sync' }, {}, { through: (api) => api });
  };
  expect((await sync()).status).toBe('ok');
  for (let count = 0; count < WARM_UP; count++) await sync();
  // Or autovacuum, which may come at any time, would add the maps that it keeps of each table.
  await client.query('VACUUM');
  const [before, rowsBefore] = [await sizes(client), await countRows(client)];
  const today = () => clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDate();
  const dayBefore = today();
  let last = await sync();
  for (let count = 1; count < SYNCS; count++) {
    // As autovacuum does within a minute, which is longer than many of these syncs take.
    if (count % SYNCS_PER_VACUUM === 0) await client.query('VACUUM ops.days, ops.runs, ops.shop_state');
    last = await sync();
  }
  expect(last).toMatchObject({ status: 'ok', orders_new: 0 });
  expect(await runs(client)).toEqual(['sync ok 12 0']);
  const grown = [...(await sizes(client))].flatMap(([name, bytes]) => {
    const pages = (bytes - (before.get(name) ?? 0)) / PAGE;
    return pages > MAX_GROWTH_PAGES ? [`${name} grew by ${pages} pages`] : [];
  });
  expect(grown).toEqual([]);
  // The ledger has a row for each day.
  const days = (rowsBefore.get('ops.days') ?? 0) + today().since(dayBefore).days;
  expect(await countRows(client)).toEqual(new Map([...rowsBefore, ['ops.days', days]]));
  const now = new Date(clock.now().epochMilliseconds);
  const [state] = await rows('SELECT looked_at, ok_at, completed_at FROM tested.shop_state');
  expect(state).toEqual({ looked_at: now, ok_at: now, completed_at: now });
});

test('the first successful sync after a failed one has a row, and the next one has none', async () => {
  const { client, clock, rows, shop, simulator, sweep } = await openShop({ orders: 12, days: 3, now: NOW });
  const sync = async () => {
    clock.pass({ minutes: 5 });
    const { status } = await sweep({ kind: 'sync' }, {}, { through: (api) => api });
    return status;
  };
  await sync();
  simulator.faults.failNext(Infinity, 'http-401');
  await expect(sync()).rejects.toThrow('401');
  simulator.faults.clear();
  expect([await sync(), await sync()]).toEqual(['ok', 'ok']);
  expect(await runs(client)).toEqual(['sync ok 12 0', 'sync failed 0 0', 'sync ok 0 0']);
  shop.insertOrder();
  await sync();
  await sync();
  const all = ['sync ok 12 0', 'sync failed 0 0', 'sync ok 0 0', 'sync ok 1 0'];
  expect(await runs(client)).toEqual(all);
  const counted = async () => await rows('SELECT orders FROM tested.shop_figures');
  expect(await counted()).toEqual([{ orders: 13 }]);

  // One that was not finished, whether it ended partial or not at all, is followed by the row of one that was.
  for (const status of ['partial', 'interrupted', 'abandoned']) {
    await client.query(
      `UPDATE tested.runs SET status = $1 WHERE run_id = (SELECT max(run_id) FROM tested.runs)`,
      [status],
    );
    await sync();
    all.splice(-1, 1, `sync ${status} ${all.at(-1)?.split(' ').slice(2).join(' ')}`, 'sync ok 0 0');
    expect(await runs(client)).toEqual(all);
  }
});

test('a sweep with nothing due runs 21 statements, and one of an idle minute 29', async () => {
  const { clock, sweep } = await openOwnShop({ orders: 60, days: 30 });
  const sent = vi.spyOn(Client.prototype, 'query');
  const statements = async () => {
    sent.mockClear();
    const result = await sweep({ kind: 'sync' }, {}, { refreshesSummaries: true, through: (api) => api });
    expect(result).toMatchObject({ status: 'ok' });
    clock.pass({ seconds: 10 });
    return sent.mock.calls.length;
  };
  try {
    await statements();
    expect(await statements()).toBe(21);
    expect(await statements()).toBe(21);
    clock.pass({ minutes: 1 });
    expect(await statements()).toBe(29);
  } finally {
    sent.mockRestore();
  }
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('runs are removed after their retention time, at most once an hour, and payloads without one stay', async () => {
  const { client, clock, rows, ...ground } = await openShop({ orders: 5, days: 3, seed: 5 });
  const sweep = (runsKeptMs?: number) => ground.sweep(FORCED, {}, { runsKeptMs });
  const age = () => client.query(`UPDATE tested.runs SET started_at = '2026-01-01'`);
  const kept = async () => {
    return (
      await rows(`
        SELECT (SELECT count(*)::int FROM tested.runs WHERE started_at = '2026-01-01') AS old,
          (SELECT count(*)::int FROM tested.raw_orders) AS payloads`)
    )[0];
  };
  await sweep();
  await age();
  await sweep();
  expect(await kept(), 'without a limit').toEqual({ old: 1, payloads: 5 });
  await sweep(HOUR_MS);
  expect(await kept()).toEqual({ old: 0, payloads: 5 });
  await age();
  clock.pass({ minutes: 59 });
  await sweep(HOUR_MS);
  expect(await kept(), 'too soon').toEqual({ old: 2, payloads: 5 });
  clock.pass({ minutes: 1 });
  await sweep(HOUR_MS);
  expect(await kept()).toEqual({ old: 0, payloads: 5 });
});

test.each([
  ['payloads', { runsKeptMs: 90 * DAY_MS, rawKeptMs: DAY_MS }, { old: 1, payloads: 0 }],
  ['runs', { runsKeptMs: DAY_MS, rawKeptMs: 90 * DAY_MS }, { old: 0, payloads: 5 }],
])('if %s are kept for a day, the others stay', async (_what, limits, left) => {
  const { client, clock, rows, sweep } = await openShop({ orders: 5, days: 3, seed: 5 });
  await sweep(FORCED, {}, limits);
  const began = PRESENT.toString();
  await client.query('UPDATE tested.runs SET started_at = $1', [began]);
  clock.pass({ hours: 30 });
  // The last sweep that ended stays until there is another one.
  await sweep(FORCED, {}, limits);
  clock.pass({ hours: 1 });
  await sweep(FORCED, {}, limits);
  expect(
    await rows(
      `SELECT (SELECT count(*)::int FROM tested.runs WHERE started_at = $1) AS old,
         (SELECT count(*)::int FROM tested.raw_orders WHERE fetched_at < $2) AS payloads`,
      began,
      clock.now().subtract({ hours: 24 }).toString(),
    ),
  ).toEqual([left]);
});
