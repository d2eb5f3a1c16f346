import { z } from 'zod';

import {
  count,
  day,
  estimate,
  flag,
  instant,
  list,
  noError,
  problems,
  runCounts,
  suspendedCounts,
  shop,
  sum,
  text,
  throttle,
} from './common.ts';

/** The line of a shop that `sync` or `backfill` swept. */
export const sweepDocument = z.strictObject({
  shop,
  status: z.enum(['ok', 'partial']).describe('`partial`: see `problems`, `days_due` and `new_rejections`'),
  error: noError,
  from: day('first day of the range'),
  to: day('last day of the range'),
  days_due: count('days that were due; those that `days_verified` does not count still are'),
  is_beginning_due: flag("all days before them are due too: the shop's first order was not reached yet"),
  is_cut: flag('its time ended, perhaps before everything was read'),
  ...runCounts,
  new_rejections: count('rejections that were not open before'),
  orders_without_lines: count(
    'orders whose lines could not be fetched yet, or are doubtful; they are retried',
  ),
  orders_with_doubtful_lines: count('of these, orders whose lines contradict their count or sum'),
  orders_with_failed_lines: count('orders whose lines this sweep could not fetch; `problems` names them'),
  orders_unconfirmed: count(
    'orders that disappeared and are not confirmed to be deleted yet; `days_verified` counts their days after that',
  ),
  confirmed_at: instant('when the last of them is looked for once more; null: there are none').nullable(),
  windows_proven: count('parts of the list that were read whole'),
  windows_unproven: count('parts of the list that changed while they were read'),
  seconds: z.number().min(0).describe('time taken'),
  estimate: estimate.nullable().describe('what was estimated before; null: nothing was'),
  throttle: throttle.describe('how the shop is asked'),
  problems,
  warnings: list(z.string(), 'what is wrong without making it partial, a sentence each'),
});

/** The line of a shop. */
const checked = z.strictObject({
  shop,
  status: z.literal('ok'),
  error: noError,
  postgres: text('version of the PostgreSQL server'),
  timezone: text("IANA zone of the shop's times"),
  first_day: day('day of the first order'),
  total_orders: count('orders, as the shop counts them; null: it does not say').nullable(),
  total_meaning: z
    .enum(['matches', 'other', 'unknown'])
    .describe('whether its count was the number of matching orders, where that was proven'),
  list_order: z.enum(['newest first', 'oldest first', 'neither', 'unknown']).describe('order of its list'),
  page: z
    .strictObject({
      limit: count('`limit` of list requests'),
      rows: count('rows of a full page; 0: none was seen'),
    })
    .describe('how its list pages'),
  groups: count('top-level groups; null: they could not be read').nullable(),
  charset: text('charset of its texts; null: only ASCII was seen').nullable(),
  suspended_counts: suspendedCounts,
  clock_warning: text('why the time zone or a clock seems wrong; null: they seem right').nullable(),
  hidden_order_fields: list(z.string(), 'keys of extra order fields that are hidden until somebody decides'),
  orders_loaded: count('orders that the warehouse holds'),
  estimate: estimate
    .nullable()
    .describe('what loading the others takes; null: the shop does not count its orders'),
  found_rps: throttle.shape.found_rps,
  limited_by: throttle.shape.limited_by,
});

/** The line of `--alert`. */
const alerted = z.strictObject({
  shop: z.null(),
  status: z.enum(['ok', 'failed']),
  error: text('why the webhook did not take the test alert; null: it did').nullable(),
  alert: z.literal('test'),
});

/** The line of an address. */
const tried = z.strictObject({
  shop: z.null(),
  status: z.literal('ok'),
  error: noError,
  address: text('the address that was tried'),
  answer: z
    .enum(['refuses', 'accepts', 'unclear'])
    .describe('to a request without a login: it asks for one, takes any, or says nothing of such a shop'),
});

export const checkDocument = z.union([checked, alerted, tried]);

const figures = (meaning: string) =>
  z.strictObject({ orders: count('orders'), sum: sum('sum of their totals') }).describe(meaning);

const sides = {
  currency: text('code of the currency; empty: the orders have none'),
  shop: figures('in the shop'),
  warehouse: figures('in the warehouse'),
  is_equal: flag('whether both sides are equal'),
};

/** The line of a shop that was compared with the warehouse. */
export const verifyDocument = z.strictObject({
  shop,
  status: z.enum(['ok', 'partial']).describe('`partial`: not everything could be compared'),
  error: noError,
  from: day('first day that was compared; null: the first there is').nullable(),
  to: day('last day that was compared; null: the last there is').nullable(),
  is_equal: flag('no order, count or sum differs, new ones included'),
  months: list(
    z.strictObject({ month: text('such as `2026-01`, or `no date`'), ...sides }),
    'each month and currency; none if the list could not be read to its end',
  ),
  currencies: list(
    z.strictObject({ ...sides, is_equal: flag('whether both sides are equal in every month') }),
    'each currency, all months together',
  ),
  differences: list(
    z.strictObject({
      order_id: text('number of the order'),
      day: day('its day; null: it has no date').nullable(),
      kind: z.enum(['not in the warehouse', 'not in the shop', 'differs', 'lines differ']),
      is_sweep_due: flag(
        'its day is due, or it is newer than the last verification of its day: the next sync sees to it',
      ),
      confirmed_at: instant(
        'when it is looked for once more, and counts as deleted unless it is listed; null: the list was not seen without it before',
      ).nullable(),
    }),
    'orders that differ, as they were before a repair',
  ),
  orders_outside_verified_days: count('orders of the warehouse that belong to no verified day'),
  orders_without_date: count('how many of them have no readable date'),
  orders_with_doubtful_lines: count('orders whose doubtful lines `--repair` fetches again; 0 without it'),
  list_requests: count('requests for the order list'),
  content_requests: count('requests for contents of orders, of `--lines`'),
  problems,
  repair: sweepDocument
    .meta({ id: 'sweep' })
    .nullable()
    .describe('what the sweep of `--repair` did, as `sync` prints it; null: there was none'),
});

export const loginLinkDocument = z.strictObject({
  login: text('login of the user'),
  actkey: text('one-time key'),
  link: text('address that logs the user in, once'),
});

/** Settings, named as the environment variables that they are. */
export const simulateDocument = z.strictObject({
  SHOP_KEY: z.string(),
  SHOP_URL: z.string(),
  SHOP_LOGIN: z.string(),
  SHOP_API_KEY: z.string(),
  SHOP_TIMEZONE: z.string(),
  SHOP_MAX_RPS: z.string(),
});
