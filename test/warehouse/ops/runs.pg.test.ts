import { sql } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import { openRunRecord } from '../../../src/sync/run/run-record.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import {
  beginRun,
  finishRun,
  readLastRuns,
  type RunCounts,
  type RunEnding,
  type RunKind,
  updateRun,
} from '../../../src/warehouse/ops/runs.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { PRESENT } from '../../support/shop.ts';
import { QUIET } from '../../support/stored-run.ts';
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
const start = async (kind: RunKind = 'sync', ofLease = lease) =>
  (await beginRun(warehouse.db, ofLease, kind, '1.2.3')).runId;
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
  await finishRun(warehouse.db, runId, end('partial', 200, 'one day was not read'));
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
    await finishRun(warehouse.db, await start(), end('ok', 1));
    await start();
    await start();
  } finally {
    vi.useRealTimers();
  }
  const ended = sql`SELECT finished_at >= started_at AS follows FROM ops.runs WHERE shop_id = ${shopId} AND status <> 'running'`;
  expect(await warehouse.rows(ended)).toEqual(Array.from({ length: 2 }, () => ({ follows: true })));
});

test('the latest runs come first, up to the limit', async () => {
  const ids: bigint[] = [];
  for (let run = 0; run < 4; run += 1) ids.unshift(await start());
  expect((await last(3)).map((run) => run.run_id)).toEqual(ids.slice(0, 3));
});

test('a process that lost its lease starts no run and closes none', async () => {
  await start();
  const before = await last();
  await expect(start('sync', { ...lease, epoch: lease.epoch - 1n })).rejects.toThrow(LeaseLostError);
  expect(await last()).toEqual(before);
});

test('a starting run knows how the last sweep ended', async () => {
  const lastSweep = async (kind: RunKind = 'sync') =>
    (await beginRun(warehouse.db, lease, kind, '1.2.3')).lastSweep;
  expect(await lastSweep()).toBeUndefined();
  expect(await lastSweep('verify'), 'it was open').toBe('running');
  await finishRun(warehouse.db, await start('backfill'), end('partial', 0));
  await finishRun(warehouse.db, await start('verify'), end('ok', 0));
  expect(await lastSweep()).toBe('partial');
});

test.each<[RunKind, RunEnding['status'], boolean, readonly string[]]>([
  ['sync', 'ok', false, ['ok']],
  ['sync', 'ok', true, ['ok', 'ok']],
  ['sync', 'failed', false, ['failed', 'ok']],
  ['verify', 'ok', false, ['ok', 'ok']],
])('the row of a %s that ended %s goes if it changed nothing: %j', async (kind, status, hasWritten, left) => {
  const run = { db: warehouse.db, logger: QUIET, now: () => PRESENT, version: '1.2.3' };
  await finishRun(warehouse.db, await start(), end('ok', 0));
  const record = await openRunRecord(run, lease, kind, { hasWritten }, () => counts(0));
  await record.save();
  expect(await last()).toMatchObject([{ status: 'running', ...counts(0) }, { status: 'ok' }]);
  await record.end(status, undefined);
  expect((await last()).map((row) => row.status)).toEqual(left);
});
