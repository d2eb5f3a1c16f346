import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import { createStateSaver, toShopState } from '../../../src/sync/run/shop-state.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import {
  loadShopState,
  readShopState,
  saveShopState,
  updateShopState,
} from '../../../src/warehouse/ops/stored-shop-state.ts';
import { at } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';

const SOON = at('2026-03-01T10:00:00Z');
const LATER = at('2026-03-01T11:00:00.5Z');

const warehouse = fileWarehouse();
let lease: Lease;
beforeEach(async () => {
  lease = await heldLease(warehouse.db, await warehouse.newShop());
});

async function load() {
  const stored = await loadShopState(warehouse.db, lease.shopId);
  if (stored === undefined) throw new Error('the shop has no state');
  return stored;
}
const versions = () =>
  warehouse.rows(sql`SELECT xmin, saved_at FROM ops.shop_state WHERE shop_id = ${lease.shopId}`);

test('state that a run changes is available to the next one, and is written only when it changed', async () => {
  const stored = await load();
  const state = toShopState(stored.row);
  expect(state).toMatchObject({ profile: { limit: 500, pageRows: 0 } });
  expect(state.auditPosition).toBeUndefined();
  const save = createStateSaver(warehouse.db, lease, stored.row, () => SOON);
  const before = await versions();
  await save(state);
  expect(await versions()).toEqual(before);

  const pace = { concurrency: 2, lowest_concurrency: 1, max_concurrency: 4, max_rps: 0.5, found_rps: 0.25 };
  const throttle = { ...pace, limited_by: 'rate', circuit: 'half-open' } as const;
  state.profile = { limit: 50, pageRows: 49, totalMeaning: 'other' };
  Object.assign(state, { throttle, pausedUntil: LATER, completedAt: SOON, lookedAt: LATER, okAt: SOON });
  Object.assign(state, { prunedAt: LATER, findings: { clock: 'an hour ahead' } });
  state.requests = { hour: SOON, counts: [3, 0, 7] };
  state.audit = { finishedAt: LATER, orders: 3, total: 5_000_000_000 };
  state.auditPosition = { began: LATER, start: 99, last: '7', undated: ['5'] };
  state.freshness = [
    { youngerThanDays: 1, targetMs: 90_000 },
    { youngerThanDays: Number.POSITIVE_INFINITY, targetMs: 60_000 },
  ];
  const through = Temporal.PlainDate.from('2026-02-28');
  state.counts = { at: SOON, through, orders: 7, facets: 3, requestsLeft: 11 };
  Object.assign(state, { loadRps: 12.5, listedOrders: 99, countEveryMs: 300_000 });
  Object.assign(state, { lineRelations: ['units'], lineRelationsAt: SOON });
  state.historyFrom = Temporal.PlainDate.from('2024-11-01');
  await save(state);
  expect(toShopState((await load()).row)).toEqual(state);
  // Saved by other means than a run's state.
  const others = ['normalizerVersion', 'privacyPolicy'];
  const untried = Object.entries(toShopState(stored.row)).filter(([key, value]) =>
    isDeepStrictEqual(value, Reflect.get(state, key)),
  );
  expect(untried.map(([key]) => key).toSorted()).toEqual(others.toSorted());
  const after = await versions();
  expect(after).toMatchObject([{ saved_at: '2026-03-01 10:00:00+00' }]);
  await save(state);
  expect(await versions()).toEqual(after);

  Object.assign(state, { pausedUntil: undefined, audit: undefined, auditPosition: undefined });
  await save(state);
  expect(toShopState((await load()).row)).toEqual(state);

  state.profile = { ...state.profile, pageRows: 50 };
  await save(state);
  expect(toShopState((await load()).row).profile).toEqual(state.profile);
});

test('a failed save is repeated with the next one, and of two saves the later one wins', async () => {
  const stored = await load();
  const state = toShopState(stored.row);
  const save = createStateSaver(warehouse.db, lease, stored.row, () => SOON);
  const moveEpoch = (by: number) =>
    warehouse.rows(sql`UPDATE ops.leases SET epoch = epoch + ${by} WHERE shop_id = ${lease.shopId}`);
  state.findings = { clock: 'an hour ahead' };
  await moveEpoch(1);
  await expect(save(state)).rejects.toThrow(LeaseLostError);
  await moveEpoch(-1);
  await save(state);
  expect(toShopState((await load()).row)).toEqual(state);

  const before = state.profile;
  state.profile = { ...before, pageRows: 77 };
  const first = save(state);
  await nextTurn();
  state.profile = before;
  await Promise.all([first, save(state)]);
  expect(toShopState((await load()).row)).toEqual(state);
});

test('columns that are not passed stay unchanged', async () => {
  await saveShopState(warehouse.db, lease, { privacy_policy: 'none', normalizer_version: 0 }, SOON);
  await saveShopState(warehouse.db, lease, { findings: { clock: 'odd' } }, LATER);
  expect((await load()).row).toMatchObject({
    privacy_policy: 'none',
    normalizer_version: 0,
    findings: { clock: 'odd' },
  });
});

test('a process that lost its lease saves nothing', async () => {
  const before = await load();
  const outdated = { ...lease, epoch: lease.epoch - 1n };
  const saved = saveShopState(warehouse.db, outdated, { privacy_policy: 'none' }, SOON);
  await expect(saved).rejects.toThrow(LeaseLostError);
  expect(await load()).toEqual(before);
});

test('an unregistered shop has no state', async () => {
  expect(await loadShopState(warehouse.db, 4711)).toBeUndefined();
  expect(await readShopState(warehouse.db, 4711)).toBeUndefined();
});

test('state written without a lease is visible at once', async () => {
  const { row } = await load();
  await updateShopState(warehouse.db, lease.shopId, { memory: { loadRps: 2 } }, LATER);
  expect(await readShopState(warehouse.db, lease.shopId)).toEqual({
    ...row,
    memory: { loadRps: 2 },
    saved_at: LATER,
  });
});
