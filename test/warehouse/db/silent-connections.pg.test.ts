import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { databaseSentence } from '../../../src/warehouse/db/database-error.ts';
import { type Db, openDatabase } from '../../../src/warehouse/db/database.ts';
import { withClient } from '../../support/database-clients.ts';
import { startBouncer } from '../../support/pgbouncer.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { until, within } from '../../support/until.ts';
import { fileWarehouse, untilWaiting } from '../test-warehouse.ts';

const warehouse = fileWarehouse();

const SILENT_AFTER_MS = 600;

async function openThroughProxy(url = warehouse.url, connections = 2) {
  await using opening = new AsyncDisposableStack();
  const proxy = opening.use(await startSilentProxy(url));
  const database = opening.use(
    await openDatabase(proxy.url, connections, 'order-sync', { silentAfterMs: SILENT_AFTER_MS }),
  );
  const opened = opening.move();
  return { proxy, ...database, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Waits until the server shows such a backend. */
async function untilServer(shows: string): Promise<void> {
  await until(`the server shows ${shows}`, async () => {
    const ofOthers = `datname = current_database() AND pid <> pg_backend_pid() AND ${shows}`;
    const { rows } = await warehouse.database.query(`SELECT 1 FROM pg_stat_activity WHERE ${ofOthers}`);
    return rows.length > 0;
  });
}

const failureOf = async (work: Promise<unknown>) =>
  within(
    'it fails',
    work.then(() => 'it did not fail', databaseSentence),
  );
const answer = async (db: Db) =>
  within('an answer', db.execute<{ one: number }>(sql`SELECT 1 AS one`)).then(({ rows }) => rows);

test('statements on connections that went silent fail, and the pool goes on with others', async () => {
  await using opened = await openThroughProxy();
  const { db, proxy } = opened;
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const transaction = db.transaction(async (tx) => {
    await tx.execute(sql`SELECT 1`);
    begun.resolve();
    await goOn.promise;
    await tx.execute(sql`SELECT 2`);
  });
  await begun.promise;
  await answer(db);
  proxy.silence();
  goOn.resolve();
  const failures = await Promise.all([failureOf(transaction), failureOf(answer(db))]);
  expect(failures).toEqual([
    expect.stringMatching(/Connection terminated|not queryable|did not answer in time/),
    expect.stringContaining('did not answer in time'),
  ]);
  expect(await answer(db)).toEqual([{ one: 1 }]);
});

test('a connection that breaks while a transaction begins leaves its place in the pool to another', async () => {
  await using opened = await openThroughProxy(warehouse.url, 1);
  await answer(opened.db);
  opened.proxy.silence();
  const begun = opened.db.transaction(async (tx) => tx.execute(sql`SELECT 1`));
  expect(await failureOf(begun)).toContain('did not answer in time');
  expect(await answer(opened.db)).toEqual([{ one: 1 }]);
});

test('a lost response fails its statement too', async () => {
  await using opened = await openThroughProxy();
  const { db, proxy } = opened;
  const asleep = db.execute(sql`SELECT pg_sleep(1)`).then(({ rows }) => rows);
  await untilServer(`wait_event = 'PgSleep'`);
  proxy.silence();
  expect(await failureOf(asleep)).toContain('did not answer in time');
});

test('a statement may take long while the server works on it or it waits for a lock', async () => {
  await using opened = await openThroughProxy();
  const { db, proxy } = opened;
  await withClient(warehouse.url, async (holder) => {
    await holder.query('BEGIN; LOCK TABLE core.orders');
    const waiting = db.execute(sql`SELECT count(*) FROM core.orders`).then(({ rows }) => rows);
    await untilWaiting(warehouse);
    const before = proxy.opened();
    await db.execute(sql`SELECT pg_sleep(${(3 * SILENT_AFTER_MS) / 1000})`);
    await until('the server was asked', () => proxy.opened() > before);
    await holder.query('ROLLBACK');
    expect(await waiting).toHaveLength(1);
  });
});

test('behind a pooler a statement may take long, and a silent connection is closed', async (context) => {
  await using bouncer = await startBouncer(context, warehouse.url);
  await using opened = await openThroughProxy(bouncer.url);
  const { db, isPooled, proxy } = opened;
  expect(isPooled).toBe(true);
  await db.execute(sql`SELECT pg_sleep(${(3 * SILENT_AFTER_MS) / 1000})`);
  proxy.silence();
  expect(await failureOf(answer(db))).not.toBe('it did not fail');
  expect(await answer(db)).toEqual([{ one: 1 }]);
});

test('connections fail where the server cannot be reached at all', async () => {
  await using opened = await openThroughProxy();
  const { db, proxy } = opened;
  await answer(db);
  proxy.silence();
  const asked = failureOf(answer(db));
  proxy.close();
  expect(await asked).toContain('did not answer in time');
});

test('a database whose connections went silent can be closed', async () => {
  const opened = await openThroughProxy();
  const client = await opened.connect();
  await answer(opened.db);
  opened.proxy.silence();
  await within('the client ends', client.end());
  const closed = Promise.resolve(opened[Symbol.asyncDispose]()).then(() => 'closed');
  expect(await within('the database is closed', closed)).toBe('closed');
});
