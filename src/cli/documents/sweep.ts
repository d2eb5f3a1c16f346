import { z } from 'zod';

import { count, day, estimate, list, noError, problems, runCounts, shop, throttle } from './common.ts';

/** The line of a shop that `sync` or `backfill` swept. */
export const sweepDocument = z.strictObject({
  shop,
  status: z.enum(['ok', 'partial']).describe('`partial`: see `problems`, `days_due` and `new_rejections`'),
  error: noError,
  from: day('first day of the range'),
  to: day('last day of the range'),
  days_due: count('days that were due; those that `days_verified` does not count still are'),
  ...runCounts,
  new_rejections: count('rejections that were not open before'),
  orders_without_lines: count('orders whose lines could not be fetched yet; they are retried'),
  seconds: z.number().min(0).describe('time taken'),
  estimate: estimate.nullable().describe('what was estimated before; null: nothing was'),
  throttle: throttle.describe('how the shop is asked'),
  problems,
  warnings: list(z.string(), 'what is wrong without making it partial, a sentence each'),
});
export type SweepDocument = z.infer<typeof sweepDocument>;
