/**
 * Sums of orders that the views of `bi` read, so that they need not go through every order ever. A trigger marks what a
 * write made stale; the views count that anew, and `refreshSummaries` does so for good.
 */
import { bigint, boolean, date, integer, numeric, text, unique } from 'drizzle-orm/pg-core';

import { id64, instant } from './columns.ts';
import { core } from './shops.ts';
import { ops } from './ops.ts';

/** No foreign key: what is derived needs none, and checking it would make up most of the writing. */
const shopId = () => integer('shop_id').notNull();
const day = (name: string) => date(name, { mode: 'string' });
const count = (name: string) => bigint(name, { mode: 'number' }).notNull();

export const dailySums = core.table(
  'daily_sums',
  {
    shop_id: shopId(),
    day: day('day').notNull(),
    currency: text('currency'),
    orders: count('orders'),
    revenue: numeric('revenue'),
    priced_orders: count('priced_orders'),
    paid: numeric('paid'),
    items: numeric('items'),
    customers: count('customers'),
    cancelled_orders: count('cancelled_orders'),
    returned_orders: count('returned_orders'),
    draft_orders: count('draft_orders'),
    other_orders: count('other_orders'),
    goods: numeric('goods'),
    line_discount: numeric('line_discount'),
    order_discount: numeric('order_discount'),
    delivery: numeric('delivery'),
    cancelled: numeric('cancelled'),
    returned: numeric('returned'),
  },
  (table) => [unique('daily_sums_key').on(table.shop_id, table.day, table.currency).nullsNotDistinct()],
);

export const customerSums = core.table(
  'customer_sums',
  {
    shop_id: shopId(),
    customer_key: text('customer_key').notNull(),
    currency: text('currency'),
    orders: count('orders'),
    revenue: numeric('revenue'),
    priced_orders: count('priced_orders'),
    first_day: day('first_day'),
    last_day: day('last_day'),
    new_on: day('new_on'),
    is_guest: boolean('is_guest').notNull(),
    buyer_oid: id64('buyer_oid'),
    months: day('months').array(),
    month_orders: bigint('month_orders', { mode: 'number' }).array(),
    month_revenues: numeric('month_revenues').array(),
    is_main: boolean('is_main'),
    is_first: boolean('is_first'),
    currencies: bigint('currencies', { mode: 'number' }),
    all_orders: bigint('all_orders', { mode: 'number' }),
    all_first_day: day('all_first_day'),
    all_last_day: day('all_last_day'),
  },
  (table) => [
    unique('customer_sums_key').on(table.shop_id, table.customer_key, table.currency).nullsNotDistinct(),
  ],
);

export const productMonths = core.table(
  'product_months',
  {
    shop_id: shopId(),
    month: day('month').notNull(),
    product_oid: id64('product_oid'),
    orders: count('orders'),
    first_day: day('first_day'),
    last_day: day('last_day'),
    skus: text('skus').array(),
  },
  (table) => [
    unique('product_months_key').on(table.shop_id, table.month, table.product_oid).nullsNotDistinct(),
  ],
);

export const statusPaths = core.table(
  'status_paths',
  {
    shop_id: shopId(),
    day: day('day').notNull(),
    status_code: text('status_code').notNull(),
    earlier: text('earlier').array().notNull(),
    orders: count('orders'),
    currency: text('currency'),
    source: text('source'),
  },
  (table) => [
    unique('status_paths_key')
      .on(table.shop_id, table.day, table.status_code, table.earlier, table.currency, table.source)
      .nullsNotDistinct(),
  ],
);

/**
 * Marks: by each column that is not null, the rows of those sums that have it as a key are out of date. Only ever added to, and so never
 * waited for; a key may be marked many times.
 */
export const staleSums = ops.table('stale_sums', {
  shop_id: shopId(),
  day: day('day'),
  month: day('month'),
  customer_key: text('customer_key'),
});

/**
 * What changed that orders refer to, and then the orders that show it, until `changed_at` of each was moved. Only ever added to by
 * triggers, like the marks above.
 */
export const viewChanges = ops.table('view_changes', {
  shop_id: shopId(),
  kind: text('kind').notNull(),
  key: text('key').notNull(),
  since: instant('since'),
});
