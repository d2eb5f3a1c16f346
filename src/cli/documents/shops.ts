import { z } from 'zod';

import { count, flag, instant, noError, shop, text } from './common.ts';

/** A line of `shops`. */
export const shopsDocument = z.strictObject({
  shop,
  base_url: text('address of the shop'),
  timezone: text("IANA zone of the shop's times"),
  orders: count('orders, without deleted ones'),
  retired_at: instant('when it was retired; null: it is synced').nullable(),
  deletion_started_at: instant('when its deletion began; null: it did not').nullable(),
  is_configured: flag('whether the settings name it'),
});
export type ShopsDocument = z.infer<typeof shopsDocument>;

/** The line of `shops retire`, `restore`, `rename`, `set-timezone` and `delete`. */
export const shopChangeDocument = z.strictObject({
  shop: text('key of the shop, after a change of the key the new one'),
  status: z.enum(['ok', 'partial']),
  error: noError,
  change: z.enum(['retired', 'restored', 'renamed', 'timezone set', 'deleted']).describe('what was done'),
  rows: z
    .record(z.string(), count('rows'))
    .nullable()
    .describe('rows that were deleted, by table; null for other changes'),
  records: count('records that were read again with the new time zone; null for other changes').nullable(),
});
export type ShopChangeDocument = z.infer<typeof shopChangeDocument>;
