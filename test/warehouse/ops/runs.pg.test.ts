import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/errors.ts';
import { type Lease, takeLease } from '../../../src/warehouse/ops/lease.ts';
import {
  finishRun,
  readLastRuns,
  type RunCounts,
  startRun,
  updateRun,
} from '../../../src/warehouse/ops/runs.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;
let lease: Lease;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
  lease = await leaseOf(shopId);
});

async function leaseOf(ofShop: number): Promise<Lease> {
  const answer = await takeLease(warehouse.db, ofShop, 'one', 30_000);
  if (answer.kind !== 'taken') throw new Error('the lease is not free');
  return answer.lease;
}

/** Eleven figures, each its own. */
const counts = (first: number): RunCounts => ({
  requests: first,
  list_requests: first + 1,
  content_requests: first + 2,
  user_requests: first + 3,
  retries: first + 4,
  days_verified: first + 5,
  orders_seen: first + 6,
  orders_new: first + 7,
  orders_changed: first + 8,
  orders_missing: first + 9,
  rejections: first + 10,
});
const start = (kind: Parameters<typeof startRun>[2] = 'sync') => startRun(warehouse.db, lease, kind, '1.2.3');
const last = (limit = 10) => readLastRuns(warehouse.db, shopId, limit);

test('a run starts with zero counters, and its kind', async () => {
  const runId = await start('backfill');
  const [run, ...others] = await last();
  expect(run).toMatchObject({
    run_id: runId,
    shop_id: shopId,
    kind: 'backfill',
    status: 'running',
    version: '1.2.3',
  });
  expect(run).toMatchObject({ requests: 0, orders_new: 0, rejections: 0, finished_at: null, error: null });
  expect(others).toEqual([]);
});

test('counters are saved during the run and at its end', async () => {
  const runId = await start();
  await updateRun(warehouse.db, runId, counts(100));
  expect(await last()).toMatchObject([{ status: 'running', finished_at: null, ...counts(100) }]);
  await finishRun(warehouse.db, runId, 'partial', counts(200), 'one day was not read');
  const [run] = await last();
  expect(run).toMatchObject({ status: 'partial', error: 'one day was not read', ...counts(200) });
  expect(run?.finished_at).toEqual(expect.any(String));
});

test.each(['ok', 'partial', 'failed', 'interrupted'] as const)('a run can end as %s', async (status) => {
  await finishRun(warehouse.db, await start(), status, counts(0), undefined);
  expect(await last()).toMatchObject([{ status, error: null }]);
});

test('a run left open by a dead process is abandoned when the next one starts, and keeps its counters', async () => {
  const otherShop = await warehouse.newShop();
  const running = await startRun(warehouse.db, await leaseOf(otherShop), 'sync', '1.2.3');
  await updateRun(warehouse.db, await start(), counts(50));
  await start();
  const [current, abandoned] = await last();
  expect(current).toMatchObject({ status: 'running' });
  expect(abandoned).toMatchObject({ status: 'abandoned', finished_at: expect.any(String), ...counts(50) });
  // Other shops' runs may be alive.
  expect(await readLastRuns(warehouse.db, otherShop, 1)).toMatchObject([
    { run_id: running, status: 'running' },
  ]);
});

test('finished runs stay unchanged when the next one starts', async () => {
  await finishRun(warehouse.db, await start(), 'ok', counts(1), undefined);
  const before = await last();
  await start();
  expect((await last()).slice(1)).toEqual(before);
});

test('the latest runs come first, up to the limit', async () => {
  const ids: bigint[] = [];
  for (let run = 0; run < 4; run += 1) ids.unshift(await start());
  expect((await last(3)).map((run) => run.run_id)).toEqual(ids.slice(0, 3));
});

test('concurrent open runs are all closed by the next one', async () => {
  await Promise.all(Array.from({ length: 6 }, () => start()));
  await start();
  const [row] = await warehouse.rows(sql`
    SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'running')::int AS running
    FROM ops.runs WHERE shop_id = ${shopId}`);
  expect(row).toEqual({ runs: 7, running: 1 });
});

test('whose lease was taken over begins no run, and closes none', async () => {
  await start();
  const before = await last();
  const outdated = { ...lease, epoch: lease.epoch - 1n };
  await expect(startRun(warehouse.db, outdated, 'sync', '1.2.3')).rejects.toThrow(LeaseLostError);
  expect(await last()).toEqual(before);
});
