import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import { type Db, openDatabase, type Tx } from '../../../src/warehouse/db/database.ts';
import {
  fenced,
  readLeaseHolders,
  releaseLease,
  renewLease,
  takeLease,
} from '../../../src/warehouse/ops/lease.ts';
import { saveShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import { fileWarehouse, untilWaiting } from '../test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';

const TTL_MS = 30_000;
/** What a busy machine may take from one statement to the next. */
const SLACK_MS = 20_000;

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
const leaseRow = async () => {
  const [row] = await warehouse.rows(sql`
    SELECT epoch, holder, extract(epoch FROM expires_at - now()) * 1000 AS left_ms
    FROM ops.leases WHERE shop_id = ${shopId}`);
  return { epoch: row?.['epoch'], holder: row?.['holder'], leftMs: Number(row?.['left_ms']) };
};

test('a free lease is taken for half a minute', async () => {
  expect(await takeLease(db, shopId, 'one')).toEqual({ kind: 'taken', lease: { shopId, epoch: 1n } });
  const { epoch, holder, leftMs } = await leaseRow();
  expect({ epoch, holder }).toEqual({ epoch: '1', holder: 'one' });
  expect(leftMs).toBeGreaterThan(TTL_MS - SLACK_MS);
  expect(leftMs).toBeLessThanOrEqual(TTL_MS);
});

test('a held lease reports its holder and expiry to everyone, its holder included', async () => {
  await take('one');
  for (const asking of ['two', 'one']) {
    const answer = await takeLease(db, shopId, asking);
    expect(answer).toMatchObject({ kind: 'held', holder: 'one' });
    const expiresAt = answer.kind === 'held' ? answer.expiresAt : Temporal.Instant.fromEpochMilliseconds(0);
    expect(Math.abs(expiresAt.epochMilliseconds - Date.now() - TTL_MS)).toBeLessThan(SLACK_MS);
  }
  expect(await leaseRow()).toMatchObject({ epoch: '1', holder: 'one' });
});

test('a lease with an impossibly late end was written by a fast clock, and is free', async () => {
  const lease = await take('one');
  await warehouse.rows(
    sql`UPDATE ops.leases SET expires_at = now() + interval '5 hours' WHERE shop_id = ${shopId}`,
  );
  expect((await readLeaseHolders(db, [shopId])).get(shopId)?.isExpired).toBe(true);
  // Whoever still has it renews it.
  await renewLease(db, lease);
  expect(await takeLease(db, shopId, 'two')).toMatchObject({ kind: 'held' });
  await warehouse.rows(
    sql`UPDATE ops.leases SET expires_at = now() + interval '5 hours' WHERE shop_id = ${shopId}`,
  );
  expect(await takeLease(db, shopId, 'two')).toMatchObject({ kind: 'taken', lease: { epoch: 2n } });
});

test("an expired lease, or a dead holder's, is taken with a higher epoch", async () => {
  await take('one');
  await expire();
  expect((await take('two')).epoch).toBe(2n);
  const asked: string[] = [];
  const isDead = (holder: string) => {
    asked.push(holder);
    return holder === 'two';
  };
  const answer = await takeLease(db, shopId, 'three', isDead);
  expect(answer).toEqual({ kind: 'taken', lease: { shopId, epoch: 3n } });
  expect(asked).toEqual(['two']);
  expect(await takeLease(db, shopId, 'four', isDead)).toMatchObject({
    kind: 'held',
    holder: 'three',
  });
});

/** Many ask at once for a lease, of which exactly one gets it. */
async function expectOneWinner(epoch: bigint, isDead?: (holder: string) => boolean): Promise<void> {
  const names = Array.from({ length: 12 }, (_, index) => `taker ${index}`);
  const answers = await Promise.all(names.map((name) => takeLease(db, shopId, name, isDead)));
  const winners = answers.flatMap((answer, index) => (answer.kind === 'taken' ? [names[index]] : []));
  const holders = answers.flatMap((answer) => (answer.kind === 'held' ? [answer.holder] : []));
  expect(winners).toHaveLength(1);
  expect(new Set(holders)).toEqual(new Set(winners));
  expect(await leaseRow()).toMatchObject({ epoch: String(epoch), holder: winners[0] });
  await expire();
}

test('of many concurrent requests exactly one gets the lease, new or expired', async () => {
  for (const epoch of [1n, 2n]) await expectOneWinner(epoch);
});

test("of many concurrent requests for a dead holder's lease exactly one succeeds", async () => {
  for (let epoch = 1n; epoch < 9n; epoch += 2n) {
    expect(await take('dead')).toEqual({ shopId, epoch });
    await expectOneWinner(epoch + 1n, (holder) => holder === 'dead');
  }
});

test('a renewal extends the lease, even an expired one that nobody took', async () => {
  const lease = await take('one');
  await expire();
  await renewLease(db, lease);
  expect(await takeLease(db, shopId, 'two')).toMatchObject({ kind: 'held', holder: 'one' });
});

test('a released lease is free at once, and its epoch is not reused', async () => {
  const lease = await take('one');
  await releaseLease(db, lease);
  expect((await take('two')).epoch).toBe(2n);
});

test('a process that lost the lease can neither renew nor release it', async () => {
  const lost = await take('one');
  await expire();
  await take('two');
  await expect(renewLease(db, lost)).rejects.toThrow(LeaseLostError);
  await releaseLease(db, lost);
  expect(await takeLease(db, shopId, 'three')).toMatchObject({ kind: 'held', holder: 'two' });
});

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
