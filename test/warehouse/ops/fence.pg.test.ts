import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import { type Db, openDatabase, type Tx } from '../../../src/warehouse/db/database.ts';
import { saveShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import { fenced, renewLease, takeLease } from '../../../src/warehouse/ops/lease.ts';
import { fileWarehouse, untilWaiting } from '../test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';

const warehouse = fileWarehouse();
let db: Db;
let shopId: number;
beforeAll(async () => {
  db = warehouse.db;
});
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const take = (holder: string) => heldLease(db, shopId, holder);

/** As if nobody had renewed it for long. */
const expire = () =>
  warehouse.rows(
    sql`UPDATE ops.leases SET expires_at = now() - interval '1 second' WHERE shop_id = ${shopId}`,
  );
/** A write that leaves a trace. */
const mark = (tx: Tx) =>
  tx.execute(sql`INSERT INTO ops.days (shop_id, day) VALUES (${shopId}, '2026-01-01')`);
const marks = async () => (await warehouse.rows(sql`SELECT FROM ops.days WHERE shop_id = ${shopId}`)).length;

test('a write under the lease is committed, even after a release or expiry that nobody used', async () => {
  const lease = await take('one');
  await expire();
  expect(await fenced(db, lease, async (tx) => (await mark(tx)).rowCount)).toBe(1);
  expect(await marks()).toBe(1);
});

test('a failing write is rolled back', async () => {
  const lease = await take('one');
  const failing = fenced(db, lease, async (tx) => {
    await mark(tx);
    throw new Error('out of luck');
  });
  await expect(failing).rejects.toThrow('out of luck');
  expect(await marks()).toBe(0);
});

test('an outdated epoch writes nothing, and reports that the lease is lost', async () => {
  const lost = await take('one');
  await expire();
  const current = await take('two');
  let isBegun = false;
  const writing = fenced(db, lost, async (tx) => {
    isBegun = true;
    return mark(tx);
  });
  await expect(writing).rejects.toThrow(LeaseLostError);
  expect(isBegun).toBe(false);
  await expect(fenced(db, { ...current, epoch: current.epoch + 1n }, mark)).rejects.toThrow(LeaseLostError);
  expect(await marks()).toBe(0);
});

test('taking the lease waits for a write to commit', async () => {
  const lease = await take('one');
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const events: string[] = [];
  const writing = fenced(db, lease, async (tx) => {
    begun.resolve();
    await finish.promise;
    await mark(tx);
    events.push('written');
  });
  await begun.promise;
  const taking = takeLease(db, shopId, 'two', () => true).then((answer) => {
    events.push('taken');
    return answer;
  });
  await untilWaiting(warehouse);
  finish.resolve();
  await writing;
  expect(await taking).toMatchObject({ kind: 'taken', lease: { epoch: 2n } });
  expect(events).toEqual(['written', 'taken']);
  expect(await marks()).toBe(1);
});

test('a write that starts while another process takes the lease waits, and then writes nothing', async () => {
  const lost = await take('one');
  await using other = await openDatabase(warehouse.url, 1);
  const taken = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  // The same statements as of a take, held open before the commit.
  const taking = other.db.transaction(async (tx) => {
    await tx.execute(sql`UPDATE ops.leases SET epoch = epoch + 1, holder = 'two' WHERE shop_id = ${shopId}`);
    taken.resolve();
    await commit.promise;
  });
  await taken.promise;
  // A transaction, and a statement that checks the lease itself.
  const writes = [
    fenced(db, lost, mark),
    saveShopState(db, lost, { findings: { drift: 'odd' } }, Temporal.Now.instant()),
  ];
  const outcomes = Promise.allSettled(writes);
  await untilWaiting(warehouse, writes.length);
  commit.resolve();
  await taking;
  const refused = { status: 'rejected', reason: expect.any(LeaseLostError) };
  expect(await outcomes).toEqual(writes.map(() => refused));
  expect(await marks()).toBe(0);
  const found = await warehouse.rows(sql`SELECT findings FROM ops.shop_state WHERE shop_id = ${shopId}`);
  expect(found).toEqual([{ findings: {} }]);
});

test('a renewal that waited for a long write lasts from its end, so that nobody takes the lease', async () => {
  const lease = await take('one');
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written = fenced(db, lease, (tx) => {
    begun.resolve();
    return done.promise.then(() => tx.execute(sql`SELECT 1`));
  });
  await begun.promise;
  const renewed = renewLease(db, lease);
  await untilWaiting(warehouse);
  const [waited] = await warehouse.rows(
    sql`SELECT (clock_timestamp() + interval '30 seconds')::text AS until FROM pg_sleep(0.1)`,
  );
  done.resolve();
  await Promise.all([written, renewed]);
  const renewal = sql`SELECT expires_at > ${waited?.['until']}::timestamptz AS is_later FROM ops.leases WHERE shop_id = ${shopId}`;
  expect(await warehouse.rows(renewal)).toEqual([{ is_later: true }]);
});
