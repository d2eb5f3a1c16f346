import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import { HEALTHY } from '../../support/healthy.ts';
import { type ApiFindings, estimateRest } from '../../../src/sync/report/learn-api.ts';

const FINDINGS: ApiFindings = {
  latencyMs: 100,
  profile: unknownProfile(500),
  historyFrom: Temporal.PlainDate.from('2024-01-01'),
  total: 1_000,
  listOrder: 'newest first',
  groups: 3,
};
const HEALTH = { ...HEALTHY, concurrency: 10, maxConcurrency: 10 };
const rest = (excluded: number, given: Partial<ApiFindings> = {}, measured?: number) =>
  estimateRest({ ...FINDINGS, ...given }, HEALTH, excluded, measured);

test('stored orders need no loading, and a shop that does not count has no estimate', () => {
  expect(rest(0)?.orders).toBe(1_000);
  expect(rest(400)?.orders).toBe(600);
  expect(rest(1_200)).toMatchObject({ orders: 0, requests: 0, bytes: 0 });
  expect(rest(0, { total: undefined })).toBeUndefined();
});

test('the estimate is longer if the shop answers slowly or an earlier load was slow', () => {
  // 1,304 requests, ten of them at once.
  expect(rest(0)).toMatchObject({ requests: 1_304, seconds: 27 });
  expect(rest(0, { latencyMs: 1_000 })?.seconds).toBe(131);
  expect(rest(0, {}, 4)?.seconds).toBe(326);
});
