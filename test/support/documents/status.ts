import { z } from 'zod';

import { ALERT_CAUSES } from '../../../src/model/alert-facts.ts';
import {
  count,
  day,
  estimate,
  flag,
  instant,
  list,
  runCounts,
  suspendedCounts,
  shop,
  text,
  throttle,
} from './common.ts';

const run = z.strictObject({
  run_id: text('number of the run'),
  kind: z.enum(['sync', 'backfill', 'verify', 'replay', 'forget']),
  status: z
    .enum(['running', 'ok', 'partial', 'failed', 'interrupted', 'abandoned'])
    .describe('`abandoned`: its process died'),
  started_at: instant('when it began'),
  finished_at: instant('when it ended; null: it has not').nullable(),
  ...runCounts,
  error: text('why it is not `ok`; null: it is').nullable(),
  version: text('version of order-sync'),
});

/** The line of a shop in the warehouse. */
export const statusDocument = z.strictObject({
  shop,
  timezone: text("IANA zone of the shop's times"),
  is_complete: flag('no day is due'),
  is_loaded: flag('every day that was due was verified once: the first load is over'),
  estimate: estimate
    .nullable()
    .describe('what is left of the first load; null: it is over, or the shop does not count its orders'),
  days_due: count('days that are due to be verified; null: the shop was never swept').nullable(),
  first_day: day('first day of the ledger; null: it has none').nullable(),
  last_day: day('last day of the ledger; null: it has none').nullable(),
  complete_through: day('every day up to this one was verified; null: the first was not').nullable(),
  days_verified: count('days that were ever verified'),
  days_unverified: count('days that never were'),
  days_failed: count('days that could not be verified by the latest attempt'),
  day_error: text('why the newest of them could not; null: there is none').nullable(),
  retry_at: instant('when a worker tries the first of them again; null: there is none').nullable(),
  newest_verified_at: instant(
    'when the newest day was last verified; null: never, or by a clock that ran ahead',
  ).nullable(),
  newest_target_seconds: count(
    'how often that is to be: as `FRESHNESS` says for a worker, else as often as sweeps come; null: nobody has said',
  ).nullable(),
  orders: count('orders, without deleted ones'),
  listed_orders: count(
    'orders that the shop said it has, when all of them were last asked for; null: it does not say',
  ).nullable(),
  orders_missing: count('orders that the shop no longer lists, and that are not known to be deleted'),
  confirmed_at: instant(
    'when the last of them is looked for once more, and counts as deleted unless it is listed; null: there are none',
  ).nullable(),
  orders_deleted: count('orders that were deleted in the shop'),
  orders_without_lines: count('orders without up-to-date lines'),
  orders_with_doubtful_lines: count('of these, orders whose lines contradict their count or sum'),
  line_relations: list(
    z.string(),
    'what the count and sum of orders are of their lines, such as `units`: doubtful lines are found by it',
  ),
  line_failures: list(
    z.strictObject({
      reason: text('what the shop answered'),
      orders: count('orders'),
      order_ids: list(z.string(), 'the first five of them'),
    }),
    'why lines of orders could not be fetched, the reason of the most orders first',
  ),
  open_rejections: count('records and fields that could not be read'),
  requests_last_day: count('requests to the shop in the last 24 hours'),
  steady_list_requests_per_hour: z
    .number()
    .min(0)
    .describe('list requests per hour that FRESHNESS costs while nothing changes'),
  normalizer_version: count('oldest version of the normalizers that made a row of the shop'),
  is_replay_due: flag('`order-sync replay` would understand more'),
  throttle: throttle.nullable().describe('how the shop is asked; null: no run has recorded it'),
  unclassified_statuses: list(
    z.strictObject({
      kind: z.enum(['order', 'payment']),
      code: text('the code; its number, as `#3`, where it does not look like one'),
      orders: count('orders that have it'),
    }),
    'status codes that nobody has classified yet',
  ),
  hidden_order_fields: list(z.string(), 'keys of extra order fields that are hidden until somebody decides'),
  counts: z
    .strictObject({
      at: instant('when the shop was last asked to count its orders'),
      through: day('last of the days that it counted'),
      orders: count('orders that the warehouse held of these days'),
      facets: count('how many ways it counted them by'),
      requests_per_hour: z
        .number()
        .min(0)
        .describe('requests per hour that `COUNT_EVERY` costs while nothing changes'),
      suspended: suspendedCounts,
    })
    .nullable()
    .describe("what of the shop's own counts was compared with the warehouse; null: nothing yet"),
  clock_warning: text('why the time zone or a clock seems wrong; null: they seem right').nullable(),
  paused_at: instant('since when it is paused; null: it is not').nullable(),
  looked_at: instant('when the latest sweep began; null: there was none').nullable(),
  alerts: list(
    z.strictObject({
      cause: z.enum(ALERT_CAUSES).describe('name of the cause'),
      text: text('what is wrong, a sentence or several'),
    }),
    'causes of alerts that hold now; a webhook is told of them',
  ),
  runs: list(run, 'the last runs, newest first'),
});
