/** Syncs that find nothing, of which a shop has a million in two years: they leave nothing behind. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { sweepOnce, testClock } from '../../support/sweep.ts';
import { IS_LONG } from '../../support/long.ts';
import { withShop } from '../../support/shop.ts';

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
  const clock = testClock(NOW);
  await withShop({ orders: 12, days: 3, now: NOW }, async ({ client, db, simulator }) => {
    const sync = async () => {
      clock.pass({ minutes: 5 });
      return await sweepOnce(simulator, db, { kind: 'sync' }, {}, { now: clock.now });
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
    const { rows } = await client.query('SELECT looked_at, ok_at, completed_at FROM tested.shop_state');
    const now = new Date(clock.now().epochMilliseconds);
    expect(rows).toEqual([{ looked_at: now, ok_at: now, completed_at: now }]);
  });
});

test('the first successful sync after a failed one has a row, and the next one has none', async () => {
  const clock = testClock(NOW);
  await withShop({ orders: 12, days: 3, now: NOW }, async ({ client, db, simulator }) => {
    const sync = async () => {
      clock.pass({ minutes: 5 });
      const { status } = await sweepOnce(simulator, db, { kind: 'sync' }, {}, { now: clock.now });
      return status;
    };
    await sync();
    simulator.faults.failNext(Infinity, 'http-401');
    await expect(sync()).rejects.toThrow('401');
    simulator.faults.clear();
    expect([await sync(), await sync()]).toEqual(['ok', 'ok']);
    expect(await runs(client)).toEqual(['sync ok 12 0', 'sync failed 0 0', 'sync ok 0 0']);
    simulator.shop.insertOrder();
    await sync();
    await sync();
    const all = ['sync ok 12 0', 'sync failed 0 0', 'sync ok 0 0', 'sync ok 1 0'];
    expect(await runs(client)).toEqual(all);
    const counted = async () => (await client.query('SELECT orders FROM tested.shop_figures')).rows;
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
});
