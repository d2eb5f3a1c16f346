/** The publication of deploy/replication.sql, as another engine would subscribe to it. */
import { readFile } from 'node:fs/promises';

import { Client } from 'pg';
import { expect, test } from 'vitest';

import { makeShopInProcess } from '../support/in-process-shop.ts';
import { replayShop } from '../../src/sync/replay/replay-shop.ts';
import { type Database, openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/migrations.ts';
import { withClient } from '../support/database-clients.ts';
import { SPEED } from '../support/database-server.ts';
import { freshDatabase } from '../support/database.ts';
import { startEmbedded } from '../support/embedded-server.ts';
import { storedRun } from '../support/stored-run.ts';
import { until } from '../support/until.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';

const PUBLICATION = new URL('../../deploy/replication.sql', import.meta.url);
const PRESENT = Temporal.Instant.from('2026-03-10T18:00:00Z');
const PERSONS = ['core.order_persons', 'core.user_persons'];
const MARKS = ['ops.days', 'ops.stale_sums'];
/** They read every table of sums. */
const VIEWS = [
  'daily_sales',
  'status_funnel',
  'product_sales',
  'customers',
  'customer_rfm',
  'shops',
  'orders',
];

const published = async (client: Client) => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT schemaname || '.' || tablename AS name FROM pg_publication_tables WHERE pubname = 'order_sync' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

test('all tables of core are published but those of persons, and the marks, each with an identity', async () => {
  await using database = await freshDatabase();
  await withClient(database.url, async (client) => {
    const publish = await readFile(PUBLICATION, 'utf8');
    await client.query(publish);
    await client.query(publish);
    const { rows } = await client.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relkind = 'r' AND (relnamespace = 'core'::regnamespace OR oid::regclass::text = ANY ($1))
         AND (relreplident = 'f' OR EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary))
       ORDER BY 1`,
      [MARKS],
    );
    expect([...(await published(client)), ...PERSONS].toSorted()).toEqual(rows.map(({ name }) => name));
    const { rows: tables } = await client.query(`SELECT FROM pg_tables WHERE schemaname = 'core'`);
    expect(rows.length).toBe(tables.length + MARKS.length);
  });
});

test('another PostgreSQL that subscribes is equal after sweeps, edits, deletions, an erasure and a replay', async () => {
  await using stack = new AsyncDisposableStack();
  const source = stack.use(await openMigrated({ ...SPEED, wal_level: 'logical' }));
  const copy = stack.use(await openMigrated(SPEED));
  await source.client.query(await readFile(PUBLICATION, 'utf8'));
  const simulator = stack.use(makeShopInProcess({ orders: 60, days: 5, seed: 8, now: PRESENT }));
  const clock = testClock(PRESENT);
  const sweep = async () => {
    const means = { now: clock.now, through: withoutGroups };
    const { db } = source.database;
    expect(await sweepOnce(simulator, db, { kind: 'backfill', force: true }, {}, means)).toMatchObject({
      status: 'ok',
    });
    clock.pass({ minutes: 10 });
  };
  await sweep();
  await copy.client.query(`CREATE SUBSCRIPTION order_sync CONNECTION '${source.url}' PUBLICATION order_sync`);
  await expectEqual(source.client, copy.client);

  const { shop } = simulator;
  const [first, second, third, gone] = shop.orders().map(({ orderId }) => orderId);
  shop.editOrder(first ?? 0, { status: 'C' });
  shop.editOrder(second ?? 0);
  shop.deleteOrder(gone ?? 0);
  shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-03-09T10:00') });
  await sweep();
  await sweep();
  await expectEqual(source.client, copy.client);
  await source.client.query('SELECT ops.refresh_summaries()');
  await expectEqual(source.client, copy.client);
  const deleted = 'SELECT order_id::int AS id FROM core.orders WHERE deleted_at IS NOT NULL';
  expect((await copy.client.query(deleted)).rows).toEqual([{ id: gone }]);

  // As an erasure would: the person of an order, and a whole order with all that hangs on it.
  await source.client.query('DELETE FROM core.order_persons WHERE order_id = $1', [second]);
  for (const table of ['raw.order_contents', 'raw.orders', 'core.orders']) {
    await source.client.query(`DELETE FROM ${table} WHERE order_id = $1`, [third]);
  }
  await source.client.query(`UPDATE core.orders SET order_sum = -1`);
  const replayed = await replay(source.database, clock.now);
  expect(replayed).toMatchObject({ status: 'ok', orders_changed: 60 });
  await expectEqual(source.client, copy.client);
  const persons = 'SELECT buyer_name FROM core.order_persons WHERE order_id = $1';
  const orders = 'SELECT buyer_oid FROM core.orders WHERE order_id = $1';
  expect((await source.client.query(persons, [first])).rows).toHaveLength(1);
  for (const id of [first, second]) expect((await copy.client.query(persons, [id])).rows).toEqual([]);
  expect((await copy.client.query(orders, [second])).rows).toHaveLength(1);
  for (const query of [persons, orders]) expect((await copy.client.query(query, [third])).rows).toEqual([]);

  await copy.client.query('DROP SUBSCRIPTION order_sync');
});

type Migrated = AsyncDisposable & {
  readonly url: string;
  readonly client: Client;
  readonly database: Database;
};

async function openMigrated(settings: Readonly<Record<string, string>>): Promise<Migrated> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await startEmbedded(settings));
  const database = stack.use(await openDatabase(url));
  await runMigrations(database);
  const client = new Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  const kept = stack.move();
  return { url, client, database, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function replay({ db }: Database, now: () => Temporal.Instant) {
  const { context, shopId } = await storedRun(db, { now });
  return replayShop(context, shopId);
}

/** Waits until the copy has applied everything, and compares every row of every published table. */
async function expectEqual(source: Client, copy: Client): Promise<void> {
  await until('all tables are copied', async () => {
    const { rows } = await copy.query(`SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r'`);
    return rows.length === 0 ? true : `${rows.length} are not`;
  });
  const { rows: ends } = await source.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn');
  await until('all changes are applied', async () => {
    const { rows } = await source.query<{ is_done: boolean }>(
      `SELECT confirmed_flush_lsn >= $1 AS is_done FROM pg_replication_slots WHERE slot_name = 'order_sync'`,
      [ends[0]?.lsn],
    );
    return rows[0]?.is_done === true;
  });
  const tables = await published(source);
  expect((await copy.query('SELECT FROM bi.daily_sales')).rows).not.toEqual([]);
  for (const table of [...tables, ...VIEWS.map((view) => `bi.${view}`)]) {
    const query = `SELECT t::text AS row FROM ${table} t ORDER BY 1`;
    const [expected, found] = [await source.query(query), await copy.query(query)];
    expect({ table, rows: found.rows }).toEqual({ table, rows: expected.rows });
  }
}
