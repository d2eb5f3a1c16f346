import { sql } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import { openRunRecord } from '../../../src/sync/run/run-record.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import {
  beginRun,
  insertRun,
  readLastRuns,
  type RunCounts,
  type RunEnding,
  type RunKind,
  updateRun,
} from '../../../src/warehouse/ops/runs.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';

const warehouse = fileWarehouse();
let shopId: number;
let lease: Lease;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  lease = await heldLease(warehouse.db, shopId);
});

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
const started = async (kind: RunKind = 'sync', ofLease = lease) => {
  const { startedAt } = await beginRun(warehouse.db, ofLease);
  return { kind, version: '1.2.3', started_at: startedAt };
};
const start = async (kind: RunKind = 'sync', ofLease = lease) =>
  (await insertRun(warehouse.db, ofLease.shopId, await started(kind, ofLease))) ?? 0n;
const end = (status: RunEnding['status'], first: number, error?: string) => ({
  status,
  counts: counts(first),
  error,
});
const last = (limit = 10) => readLastRuns(warehouse.db, limit, shopId);

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
  await updateRun(warehouse.db, runId, end('partial', 200, 'one day was not read'));
  const [run] = await last();
  expect(run).toMatchObject({ status: 'partial', error: 'one day was not read', ...counts(200) });
  expect(run?.finished_at).toEqual(expect.any(Temporal.Instant));
});

test('a run left open by a dead process is abandoned when the next one starts, and keeps its counters', async () => {
  const otherShop = await warehouse.newShop();
  const running = await start('sync', await heldLease(warehouse.db, otherShop));
  await updateRun(warehouse.db, await start(), counts(50));
  await start();
  const [current, abandoned] = await last();
  expect(current).toMatchObject({ status: 'running' });
  expect(abandoned).toMatchObject({
    status: 'abandoned',
    finished_at: expect.any(Temporal.Instant),
    ...counts(50),
  });
  // Other shops' runs may be alive.
  expect(await readLastRuns(warehouse.db, 1, otherShop)).toMatchObject([
    { run_id: running, status: 'running' },
  ]);
});

test('no run ends before it began, whatever the clock of its process says', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2020-01-01') });
  try {
    await updateRun(warehouse.db, await start(), end('ok', 1));
    await insertRun(warehouse.db, shopId, await started(), end('ok', 1));
    await start();
    await start();
  } finally {
    vi.useRealTimers();
  }
  const ended = sql`SELECT finished_at >= started_at AS follows FROM ops.runs WHERE shop_id = ${shopId} AND status <> 'running'`;
  expect(await warehouse.rows(ended)).toEqual(Array.from({ length: 3 }, () => ({ follows: true })));
});

test('the latest runs come first, up to the limit', async () => {
  const ids: bigint[] = [];
  for (let run = 0; run < 4; run += 1) ids.unshift(await start());
  expect((await last(3)).map((run) => run.run_id)).toEqual(ids.slice(0, 3));
});

test('concurrent open runs are all closed by the next one', async () => {
  const run = await started();
  await Promise.all(Array.from({ length: 6 }, () => insertRun(warehouse.db, shopId, run)));
  await start();
  const [row] = await warehouse.rows(sql`
    SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'running')::int AS running
    FROM ops.runs WHERE shop_id = ${shopId}`);
  expect(row).toEqual({ runs: 7, running: 1 });
});

test('whose lease was taken over begins no run, and closes none', async () => {
  await start();
  const record = await openRunRecord(warehouse.db, lease, 'sync', '1.2.3');
  const before = await last();
  await warehouse.rows(sql`UPDATE ops.leases SET epoch = epoch + 1 WHERE shop_id = ${shopId}`);
  await expect(openRunRecord(warehouse.db, lease, 'sync', '1.2.3')).rejects.toThrow(LeaseLostError);
  await expect(record.add()).rejects.toThrow(LeaseLostError);
  expect(await last()).toEqual(before);
});

test('a run that begins has no row, and learns how the last sweep ended', async () => {
  const lastSweep = async () => (await beginRun(warehouse.db, lease)).lastSweep;
  expect(await lastSweep()).toBeUndefined();
  await updateRun(warehouse.db, await start('backfill'), end('partial', 0));
  await updateRun(warehouse.db, await start('verify'), end('ok', 0));
  expect(await lastSweep()).toBe('partial');
  await start();
  expect(await lastSweep()).not.toBe('ok');
  expect(await last()).toHaveLength(3);
});

test('a run may get its row when it ends', async () => {
  const run = await started();
  await insertRun(warehouse.db, shopId, run, end('failed', 5, 'the shop is down'));
  const [row] = await last();
  expect(row).toMatchObject({ kind: 'sync', status: 'failed', error: 'the shop is down', ...counts(5) });
  expect(row?.started_at).toEqual(run.started_at);
});

test('a row that could not be added is added later, and at the latest when the run ends', async () => {
  const refused = { cause: { constraint: 'refused' } };
  const refuse = () =>
    warehouse.rows(sql`ALTER TABLE ops.runs ADD CONSTRAINT refused CHECK (status <> 'running') NOT VALID`);
  const accept = () => warehouse.rows(sql`ALTER TABLE ops.runs DROP CONSTRAINT refused`);
  await refuse();
  const record = await openRunRecord(warehouse.db, lease, 'sync', '1.2.3');
  await expect(record.add()).rejects.toMatchObject(refused);
  expect(record.isAdded()).toBe(false);
  await accept();
  await Promise.all([record.add(), record.add()]);
  expect(record.isAdded()).toBe(true);
  await record.end(end('ok', 0));
  expect(await last()).toMatchObject([{ status: 'ok' }]);

  await refuse();
  const another = await openRunRecord(warehouse.db, lease, 'sync', '1.2.3');
  const adding = Promise.allSettled([another.add()]);
  await another.end(end('failed', 0, 'the database is full'));
  expect(await adding).toMatchObject([{ reason: refused }]);
  await accept();
  expect(await last()).toMatchObject([{ status: 'failed' }, { status: 'ok' }]);
});
