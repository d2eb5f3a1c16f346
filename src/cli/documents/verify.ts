import { z } from 'zod';

import { count, day, flag, list, noError, problems, shop, sum, text } from './common.ts';

const figures = (meaning: string) =>
  z.strictObject({ orders: count('orders'), sum: sum('sum of their totals') }).describe(meaning);

const sides = {
  currency: text('code of the currency; empty: the orders have none'),
  shop: figures('in the shop'),
  warehouse: figures('in the warehouse'),
  is_equal: flag('whether both sides are equal'),
};

const repair = z.strictObject({
  status: z
    .enum(['ok', 'partial', 'failed', 'not needed', 'not possible'])
    .describe('whether the days that differ were synced'),
  reasons: list(z.string(), 'why it is not `ok`, a sentence each'),
  days_verified: count('days that were verified'),
  orders_new: count('orders loaded for the first time'),
  orders_changed: count('orders that were corrected'),
  orders_missing: count('orders that the shop no longer has'),
});

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
  currencies: list(z.strictObject(sides), 'each currency, all months together'),
  differences: list(
    z.strictObject({
      order_id: text('number of the order'),
      day: day('its day; null: it has no date').nullable(),
      kind: z.enum(['not in the warehouse', 'not in the shop', 'differs']),
      is_sweep_due: flag(
        'its day is due, or it is newer than the last verification of its day: the next sync sees to it',
      ),
    }),
    'orders that differ, as they were before a repair',
  ),
  orders_outside_verified_days: count('orders of the warehouse that belong to no verified day'),
  orders_without_date: count('how many of them have no readable date'),
  list_requests: count('requests for the order list'),
  problems,
  repair: repair.nullable().describe('what `--repair` did; null without it'),
});
export type VerifyDocument = z.infer<typeof verifyDocument>;
export type RepairDocument = z.infer<typeof repair>;
