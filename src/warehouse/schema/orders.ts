/** Schema `core`: orders, their lines and their history. */
import { sql } from 'drizzle-orm';
import { boolean, date, integer, smallint, text } from 'drizzle-orm/pg-core';

import {
  id64,
  instant,
  instantNow,
  json,
  localTime,
  money,
  moneySum,
  percent,
  quantity,
  shopId,
} from './columns.ts';
import { core } from './shops.ts';

const ofOrder = () => ({ shop_id: shopId(), order_id: id64('order_id').primaryKey() });

export const orders = core.table('orders', {
  ...ofOrder(),
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
});

/** Fingerprints of orders that are stored without their person: keyed ones, see `normalize/privacy/identifiers.ts`. */
export const STRIPPED_FORM = '^[ep]:';

/** What the sync itself keeps of an order, and no payload tells: a held order keeps it when it is normalized again. */
export const BOOKKEEPING_COLUMNS = [
  'fingerprint',
  'lines_state',
  'lines_fetched_at',
  'lines_attempts',
  'first_seen_at',
  'observed_at',
  'missing_since',
  'deleted_at',
  'lines_total',
  'list_total',
  'units',
  'changed_at',
  'stored_at',
] as const satisfies (keyof typeof orders.$inferSelect)[];

export type BookkeepingColumn = (typeof BOOKKEEPING_COLUMNS)[number];

export type OrderRecord = typeof orders.$inferSelect;

/**
 * What identifies or was typed by a person, and whatever is not known to be impersonal: stored here alone, so that erasing a
 * person is deleting a row.
 */
export const orderPersons = core.table('order_persons', {
  ...ofOrder(),
  buyer_name: text('buyer_name'),
  buyer_email: text('buyer_email'),
  buyer_phone: text('buyer_phone'),
  buyer_address: text('buyer_address'),
  comment: text('comment'),
  fields: json('fields'),
  rest: json('rest'),
  content_rest: json('content_rest'),
});

export const orderLines = core.table('order_lines', {
  ...ofOrder(),
  line_no: smallint('line_no').primaryKey(),
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
});
