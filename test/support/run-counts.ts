import type { RunCounts } from '../../src/warehouse/ops/runs.ts';

/** Of a run that did nothing. */
export const NO_COUNTS: RunCounts = {
  orders_seen: 0,
  orders_new: 0,
  orders_changed: 0,
  orders_missing: 0,
  days_verified: 0,
  requests: 0,
  list_requests: 0,
  content_requests: 0,
  user_requests: 0,
  retries: 0,
  rejections: 0,
};
