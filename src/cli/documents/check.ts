import { z } from 'zod';

import { count, day, estimate, flag, noError, shop, text } from './common.ts';

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
      is_uneven: flag('pages vary in length'),
      needs_both_dates: flag('a date filter works only with both dates'),
    })
    .describe('how its list pages'),
  groups: count('top-level groups; null: they could not be read').nullable(),
  charset: text('charset of its texts; null: only ASCII was seen').nullable(),
  clock_warning: text('why the time zone or a clock seems wrong; null: they seem right').nullable(),
  orders_loaded: count('orders that the warehouse holds'),
  estimate: estimate
    .nullable()
    .describe('what loading the others takes; null: the shop does not count its orders'),
});

/** The line of `--alert`. */
const alerted = z.strictObject({
  shop: z.null(),
  status: z.enum(['ok', 'failed']),
  error: text('why the webhook did not take the test alert; null: it did').nullable(),
  alert: z.literal('test'),
});

export const checkDocument = z.union([checked, alerted]);
export type CheckedShop = z.infer<typeof checked>;
export type AlertedCheck = z.infer<typeof alerted>;
