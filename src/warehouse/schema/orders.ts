/** Schema `core`: orders, their lines and their history. */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  date,
  foreignKey,
  index,
  integer,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core';

import {
  id64,
  instant,
  instantNow,
  isOneOf,
  json,
  localTime,
  money,
  moneySum,
  percent,
  quantity,
} from './columns.ts';
import { core, orderStatuses, paymentStatuses, shopId } from './shops.ts';
import { users } from './users.ts';

export const orders = core.table(
  'orders',
  {
    shop_id: shopId(),
    order_id: id64('order_id').notNull(),
    status_code: text('status_code').notNull(),
    pay_status_code: text('pay_status_code').notNull(),
    color: text('color'),
    buyer_oid: id64('buyer_oid'),
    is_guest: boolean('is_guest').notNull(),
    customer_key: text('customer_key').notNull(),
    created_on: date('created_on', { mode: 'string' }),
    created_local: localTime('created_local'),
    created_at: instant('created_at'),
    updated_local: localTime('updated_local'),
    updated_at: instant('updated_at'),
    currency: text('currency'),
    pay_method: text('pay_method'),
    order_sum: money('order_sum'),
    paid_amount: money('paid_amount'),
    delivery_price: money('delivery_price'),
    discount_raw: text('discount_raw'),
    discount_percent: percent('discount_percent'),
    item_count: quantity('item_count'),
    weight: quantity('weight'),
    delivery_name: text('delivery_name'),
    delivery_id: id64('delivery_id'),
    order_hash: text('order_hash'),
    views: integer('views'),
    fingerprint: text('fingerprint').notNull(),
    lines_state: text('lines_state').notNull(),
    lines_fetched_at: instant('lines_fetched_at'),
    lines_attempts: smallint('lines_attempts').notNull().default(0),
    first_seen_at: instant('first_seen_at').notNull(),
    observed_at: instant('observed_at').notNull(),
    missing_since: instant('missing_since'),
    deleted_at: instant('deleted_at'),
    lines_total: moneySum('lines_total'),
    list_total: moneySum('list_total'),
    changed_at: instantNow('changed_at'),
    stored_at: instant('stored_at').default(sql`now()`),
    units: quantity('units'),
    withheld: smallint('withheld').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.order_id] }),
    foreignKey({
      columns: [table.shop_id, table.status_code],
      foreignColumns: [orderStatuses.shop_id, orderStatuses.status_code],
    }),
    foreignKey({
      columns: [table.shop_id, table.pay_status_code],
      foreignColumns: [paymentStatuses.shop_id, paymentStatuses.pay_status_code],
    }),
    foreignKey({
      columns: [table.shop_id, table.buyer_oid],
      foreignColumns: [users.shop_id, users.user_oid],
    }),
    isOneOf('orders_lines_state_check', table.lines_state, ['pending', 'ok', 'failed', 'doubtful']),
    index('orders_shop_created_local_idx').on(table.shop_id, table.created_local),
    index('orders_created_on_idx').on(table.created_on),
    // Ends with what else the place of a sale among its customer's depends on, so that no order is read for it.
    index('orders_shop_customer_created_idx').on(
      table.shop_id,
      table.customer_key,
      table.created_at,
      table.order_id,
      table.status_code,
      table.deleted_at,
    ),
    // The buyer first: an index of few pages that began with the shop would look better to a check of an order's key than
    // the primary key does, as long as the table was never analyzed.
    index('orders_buyer_idx').on(table.buyer_oid, table.shop_id),
    index('orders_lines_due_idx')
      .on(table.shop_id, table.lines_fetched_at)
      .where(sql`${table.lines_state} <> 'ok'`),
    index('orders_missing_idx')
      .on(table.shop_id, table.created_on)
      .where(sql`${table.missing_since} IS NOT NULL`),
    // For what tells which days are verified, whatever the shop has deleted.
    index('orders_unconfirmed_idx')
      .on(table.shop_id, table.created_on)
      .where(sql`${table.missing_since} IS NOT NULL AND ${table.deleted_at} IS NULL`),
    // Holds all that is compared with what a shop counts, every minute, so that no order is read for it.
    index('orders_counts_idx')
      .on(table.shop_id, table.created_on, table.status_code, table.pay_status_code, table.order_sum)
      .where(sql`${table.missing_since} IS NULL AND ${table.deleted_at} IS NULL`),
    // For reports that ask for what changed since.
    index('orders_changed_idx').on(table.changed_at),
  ],
);

const ofOrder = () => ({ shop_id: integer('shop_id').notNull(), order_id: id64('order_id').notNull() });

/** What an order has is deleted with it. */
function goesWithOrder({ shop_id, order_id }: Readonly<Record<'shop_id' | 'order_id', AnyPgColumn>>) {
  const foreignColumns: [AnyPgColumn, AnyPgColumn] = [orders.shop_id, orders.order_id];
  return foreignKey({ columns: [shop_id, order_id], foreignColumns }).onDelete('cascade');
}

/** Fingerprints of orders that are stored without their person: keyed ones, see `normalize/privacy/identifiers.ts`. */
export const STRIPPED_FORM = '^[ep]:';

/** Columns that the sync itself writes and that are in no payload: a replay of a stored order does not change them. */
export const KEPT_COLUMNS = [
  'fingerprint',
  'lines_state',
  'lines_fetched_at',
  'lines_attempts',
  'first_seen_at',
  'observed_at',
  'missing_since',
  'deleted_at',
  'changed_at',
  'stored_at',
] as const satisfies (keyof typeof orders.$inferSelect)[];

/** The columns that come from the shop's list, without what is kept and what the lines come to. */
export type OrderRow = Readonly<
  Omit<
    typeof orders.$inferSelect,
    'shop_id' | (typeof KEPT_COLUMNS)[number] | 'lines_total' | 'list_total' | 'units'
  >
>;

/**
 * What identifies or was typed by a person, and whatever is not known to be impersonal: stored here alone, so that erasing a
 * person is deleting a row.
 */
export const orderPersons = core.table(
  'order_persons',
  {
    ...ofOrder(),
    buyer_name: text('buyer_name'),
    buyer_email: text('buyer_email'),
    buyer_phone: text('buyer_phone'),
    buyer_address: text('buyer_address'),
    comment: text('comment'),
    fields: json('fields'),
    rest: json('rest'),
    content_rest: json('content_rest'),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.order_id] }), goesWithOrder(table)],
);

/** What an order says of its buyer, and what somebody typed. */
export type OrderPerson = Readonly<
  Omit<typeof orderPersons.$inferSelect, 'shop_id' | 'order_id' | 'rest' | 'content_rest'>
>;

export const orderLines = core.table(
  'order_lines',
  {
    ...ofOrder(),
    line_no: smallint('line_no').notNull(),
    line_oid: text('line_oid'),
    product_oid: id64('product_oid'),
    spec_hash: text('spec_hash'),
    code: text('code'),
    product_name: text('product_name'),
    sku: text('sku'),
    quantity: quantity('quantity'),
    unit_price: money('unit_price'),
    line_total: money('line_total'),
    list_price: money('list_price'),
    list_total: money('list_total'),
    discount_raw: text('discount_raw'),
    discount_percent: percent('discount_percent'),
    withheld: smallint('withheld').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.order_id, table.line_no] }),
    goesWithOrder(table),
    index('order_lines_product_idx').on(table.shop_id, table.product_oid, table.order_id),
  ],
);

export type LineRow = Readonly<Omit<typeof orderLines.$inferSelect, 'shop_id'>>;
