/** A worker whose user owns nothing, and only reads and writes rows. */
import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { replayShop } from '../../../src/sync/replay/replay-shop.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { changeZone } from '../../../src/sync/shops/change-zone.ts';
import { deleteShop } from '../../../src/sync/shops/delete-shop.ts';
import { type Database, openDatabase } from '../../../src/warehouse/db/database.ts';
import { readMigrationFiles } from '../../../src/warehouse/db/migration-files.ts';
import { checkReadiness } from '../../../src/warehouse/db/migrations.ts';
import { recreateDatabase } from '../../support/recreate-database.ts';
import { runMigrations } from '../../../src/warehouse/db/migrations.ts';
import { findShop, registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { countTurns } from '../../../src/warehouse/ops/turns.ts';
import { pauseShop, resumeShop } from '../../../src/warehouse/directory/shop-life.ts';
import { refreshSummaries } from '../../../src/warehouse/ops/refresh-summaries.ts';
import { FIRST_STATE } from '../../support/first-state.ts';
import { Slots } from '../../../src/worker/slots.ts';
import { type TestDatabase, freshDatabase } from '../../support/database.ts';
import { createLogin, type Login } from '../../support/login.ts';
import { sweepOnce, testClock, verifyOnce } from '../../support/sweep.ts';
import { QUIET, storedRun, storedShop } from '../../support/stored-run.ts';
import { provided } from '../../support/provided.ts';
import { within } from '../../support/until.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');
const clock = testClock(now);
const never = new AbortController().signal;

let fresh: TestDatabase;
let owner: Database;
let login: Login;
let worker: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
  owner = await openDatabase(fresh.url, 2);
  // As `order-sync migrate` does.
  login = await createLogin(fresh.url, 'order_sync_worker');
  worker = await openDatabase(login.url);
});
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await login[Symbol.asyncDispose]();
  await owner[Symbol.asyncDispose]();
  await fresh[Symbol.asyncDispose]();
});

const stored = async (shopKey: string) => storedShop(worker.db, shopKey);

test('a worker that owns nothing migrates, sweeps, verifies, replays, reports, refreshes sums, and changes the life of shops', async () => {
  await using simulator = makeShopInProcess({ orders: 60, days: 10, seed: 1, now });
  const { db } = worker;
  expect(await runMigrations(worker)).toEqual([]);
  expect(await checkReadiness(db)).toBeUndefined();
  const sweep = async (shopKey: string, timezone = 'Europe/Berlin') => {
    clock.pass({ minutes: 1 });
    const settings = { shopKey, timezone };
    return sweepOnce(simulator, db, { kind: 'backfill', force: true }, settings, { now: clock.now });
  };
  expect(await sweep('north')).toMatchObject({ status: 'ok', orders_new: 60 });
  const [first, second] = simulator.shop.orders();
  simulator.shop.editOrder(first?.orderId ?? 0);
  simulator.shop.deleteOrder(second?.orderId ?? 0);
  expect(await sweep('north')).toMatchObject({
    status: 'ok',
    orders_changed: 1,
    orders_missing: 1,
  });
  // The sweep did it already: nothing is stale until somebody edits.
  await db.execute(
    `UPDATE core.order_statuses SET is_sale = NOT is_sale
     WHERE status_code = 'C' AND shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = 'north')`,
  );
  expect(await refreshSummaries(db)).toBeGreaterThan(0);
  expect(await verifyOnce(simulator, db, { makeDue: true }, { shopKey: 'north' })).toMatchObject({});
  expect(await readShopReports(db, now)).toMatchObject([{ shop: { shopKey: 'north' } }]);

  const { context, shopId } = await storedRun(db, { shopKey: 'north', now: clock.now });
  expect(await replayShop(context, shopId)).toMatchObject({ status: 'ok' });
  await pauseShop(db, shopId);
  await resumeShop(db, shopId);
  const moved = { ...context, shop: { ...context.shop, timezone: 'Europe/Moscow' } };
  await changeZone(moved, await stored('north'), () => undefined);
  expect(await sweep('north', 'Europe/Moscow')).toMatchObject({ orders_new: 0 });
  await deleteShop({ db, signal: never }, await stored('north'));
  expect(await findShop(db, 'north')).toBeUndefined();
});

test('it claims the shop that is due, and plans its next sweep', async () => {
  const stop = new AbortController();
  const [shopKeys, schedule] = [() => ['east'], () => 60_000];
  await registerShop(
    worker.db,
    { shopKey: 'east', baseUrl: 'https://e.example', timezone: 'UTC' },
    FIRST_STATE,
  );
  const slots = new Slots({ db: worker.db, shopKeys, schedule, logger: QUIET, stopping: stop.signal });
  const swept = Promise.withResolvers<string>();
  const running = slots.run(1, async (shopKey) => {
    swept.resolve(shopKey);
    return 'ended';
  });
  expect(await within('the shop is swept', swept.promise)).toBe('east');
  stop.abort(new Error('stopped'));
  await running;
  expect(await countTurns(worker.db, shopKeys())).toEqual({ queued: 0, active: 0, failed: 0 });
});

test('it keeps statistics and removes dead rows, where PostgreSQL lets anyone but the owner', async (context) => {
  const { rows } = await owner.query(`SELECT current_setting('server_version_num')::int >= 170000 AS may`);
  if (rows[0]?.may !== true) context.skip('before PostgreSQL 17 only the owner may');
  await owner.query('UPDATE core.shops SET base_url = base_url');
  const client = await worker.connect();
  const warnings: string[] = [];
  client.on('notice', ({ message }) => warnings.push(message ?? ''));
  try {
    await client.query('ANALYZE core.orders, ops.days');
    await client.query('VACUUM (ANALYZE, SKIP_LOCKED) ops.stale_sums');
  } finally {
    await client.end();
  }
  expect(warnings).toEqual([]);
});

test.each([
  'CREATE TABLE core.mine ()',
  'CREATE TABLE public.mine ()',
  'CREATE SCHEMA mine',
  'CREATE VIEW bi.mine AS SELECT 1',
  'CREATE FUNCTION ops.mine() RETURNS int LANGUAGE sql RETURN 1',
  'CREATE INDEX ON core.orders (color)',
  'ALTER TABLE core.orders ADD COLUMN mine text',
  'ALTER TABLE core.orders DISABLE TRIGGER ALL',
  'DROP VIEW bi.orders',
  'DROP TABLE raw.orders',
  'TRUNCATE core.orders',
  'SELECT * FROM bi_pii.users',
  'INSERT INTO ops.migrations (name, hash, version) VALUES (1, 2, 3)',
  'DELETE FROM ops.migrations',
  'UPDATE core.order_form_fields SET is_shown = true',
  'SELECT * FROM pg_authid',
  'SET ROLE bi_reader',
  'SET ROLE bi_pii_reader',
  'GRANT bi_pii_reader TO CURRENT_USER',
  'DROP ROLE bi_reader',
  'CREATE ROLE mine',
  `COPY core.orders TO PROGRAM 'cat'`,
])('it is refused %s', async (statement) => {
  const client = await worker.connect();
  try {
    await expect(client.query(statement)).rejects.toThrow(
      /permission denied|must be owner|must have|Only roles/,
    );
  } finally {
    await client.end();
  }
});

/** Tables and views of our schemas that a member of the role may not use as it must. */
const LACKING = `
  SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  CROSS JOIN LATERAL unnest(CASE
    WHEN n.nspname = 'bi' OR c.relkind = 'v' OR c.oid = 'ops.migrations'::regclass THEN ARRAY['SELECT']
    WHEN c.oid = 'core.order_form_fields'::regclass THEN ARRAY['SELECT', 'DELETE']
    WHEN current_setting('server_version_num')::int >= 170000
      THEN ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MAINTAIN']
    ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS needed
  WHERE n.nspname IN ('core', 'raw', 'ops', 'bi') AND c.relkind IN ('r', 'p', 'v')
    AND NOT has_table_privilege('order_sync_worker', c.oid, needed)`;

test('a worker may read and write every table, also those of later migrations', async () => {
  const { rows } = await owner.query(
    `SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname IN ('core', 'raw', 'ops')`,
  );
  expect(rows[0]?.tables).toBeGreaterThan(25);
  expect((await owner.query(LACKING)).rows).toEqual([]);
  const later = ['core', 'raw', 'ops'].map((schema) => `CREATE TABLE ${schema}.later (id int)`);
  for (const statement of [...later, 'CREATE VIEW bi.later AS SELECT 1 AS one']) await owner.query(statement);
  expect((await owner.query(LACKING)).rows).toEqual([]);
  await worker.query('INSERT INTO ops.later SELECT one FROM bi.later');
});

test('a worker may not migrate: it says who must do so, and that it is not ready', async () => {
  const next = { name: '9999_next', sql: 'CREATE TABLE core.next ()', hash: '9' };
  const later = [...readMigrationFiles(), next];
  const [{ user } = { user: '' }] = (await owner.query('SELECT current_user AS user')).rows;
  await expect(runMigrations(worker, { files: later })).rejects.toMatchObject({
    name: 'TerminalError',
    message: `The database lacks 9999_next, which the user ${login.name} may not apply: run order-sync migrate as ${user}, who owns the tables`,
  });
  // Nothing to do for it, and no error.
  expect(await runMigrations(worker, { mends: true })).toEqual([]);
  const { serverUrl, prefix } = provided('testDatabases');
  const url = new URL(await recreateDatabase(serverUrl, `${prefix}_empty_${randomBytes(6).toString('hex')}`));
  const { username, password } = new URL(login.url);
  await using empty = await openDatabase(Object.assign(url, { username, password }).href, 1);
  await expect(runMigrations(empty)).rejects.toThrow(
    /The database lacks 0000_baseline, .* CREATE ON DATABASE/,
  );
});
