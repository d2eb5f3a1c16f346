import { NORMALIZER_VERSION } from '../../src/normalize/normalizer-version.ts';
import type { ShopStatusJson } from '../../src/sync/report/shop-report.ts';

type RunJson = ShopStatusJson['runs'][number];

const NO_COUNTS = {
  requests: 0,
  list_requests: 0,
  content_requests: 0,
  user_requests: 0,
  retries: 0,
  days_verified: 0,
  orders_seen: 0,
  orders_new: 0,
  orders_changed: 0,
  orders_missing: 0,
  rejections: 0,
};

/** A run that ended well a while ago, but for what is given. */
export const run = (given: Partial<RunJson> = {}): RunJson => ({
  run_id: '1',
  kind: 'sync',
  status: 'ok',
  started_at: '2026-03-10T11:50:00.123456Z',
  finished_at: '2026-03-10T11:51:07.987654Z',
  ...NO_COUNTS,
  error: null,
  version: '1.0.0',
  ...given,
});

export const throttle = (
  given: Partial<NonNullable<ShopStatusJson['throttle']>> = {},
): NonNullable<ShopStatusJson['throttle']> => ({
  concurrency: 4,
  lowest_concurrency: 4,
  max_concurrency: 4,
  max_rps: 10,
  found_rps: null,
  limited_by: null,
  circuit: 'closed' as const,
  paused_until: null,
  ...given,
});

/** A shop of which all is well, but for what is given. */
export const shopJson = (given: Partial<ShopStatusJson> = {}): ShopStatusJson => ({
  shop: 'north',
  timezone: 'Europe/Berlin',
  is_complete: true,
  is_loaded: true,
  estimate: null,
  days_due: 0,
  first_day: '2025-01-01',
  last_day: '2026-03-10',
  complete_through: '2026-03-10',
  days_verified: 434,
  days_unverified: 0,
  days_failed: 0,
  day_error: null,
  retry_at: null,
  newest_verified_at: '2026-03-10T11:51:06.5Z',
  newest_target_seconds: 60,
  orders: 12_345,
  listed_orders: 12_345,
  orders_missing: 0,
  confirmed_at: null,
  orders_deleted: 0,
  orders_without_lines: 0,
  orders_with_doubtful_lines: 0,
  line_relations: ['units', 'total'],
  line_failures: [],
  open_rejections: 0,
  requests_last_day: 288,
  steady_list_requests_per_hour: 288,
  normalizer_version: NORMALIZER_VERSION,
  is_replay_due: false,
  throttle: throttle(),
  unclassified_statuses: [],
  hidden_order_fields: [],
  counts: null,
  compared: null,
  clock_warning: null,
  paused_at: null,
  looked_at: '2026-03-10T11:55:00.5Z',
  alerts: [],
  runs: [run()],
  ...given,
});
