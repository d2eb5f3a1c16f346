/** Schema `bi`: the views analysts read. A hand-written migration defines them; this only types them. */
import {
  bigint,
  boolean,
  date,
  integer,
  interval,
  numeric,
  pgSchema,
  smallint,
  text,
} from 'drizzle-orm/pg-core';

import { id64, instant, money, percent, quantity } from './columns.ts';

// Not exported: drizzle-kit would take the schema for one of its own and generate its creation.
const bi = pgSchema('bi');

const count = (name: string) => bigint(name, { mode: 'number' }).notNull();
const flag = (name: string) => boolean(name).notNull();
const total = (name: string) => numeric(name, { precision: 16, scale: 2 }).notNull();
const average = (name: string) => numeric(name, { precision: 16, scale: 2 });
const day = (name: string) => date(name, { mode: 'string' });
const shop = () => ({ shop_id: integer('shop_id').notNull(), shop: text('shop').notNull() });

export const biOrders = bi
  .view('orders', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    created_at: instant('created_at'),
    updated_at: instant('updated_at'),
    status_code: text('status_code').notNull(),
    status: text('status').notNull(),
    stage: text('stage').notNull(),
    is_sale: flag('is_sale'),
    pay_status_code: text('pay_status_code').notNull(),
    pay_status: text('pay_status').notNull(),
    color: text('color'),
    currency: text('currency'),
    pay_method: text('pay_method'),
    order_sum: money('order_sum'),
    paid_amount: money('paid_amount'),
    amount_due: money('amount_due').notNull(),
    delivery_price: money('delivery_price'),
    discount_raw: text('discount_raw'),
    discount_percent: percent('discount_percent'),
    item_count: integer('item_count'),
    weight: quantity('weight'),
    delivery_id: id64('delivery_id'),
    delivery_name: text('delivery_name'),
    customer_key: text('customer_key').notNull(),
    buyer_oid: id64('buyer_oid'),
    is_guest: flag('is_guest'),
    group_oid: id64('group_oid'),
    user_group: text('user_group'),
    lines_state: text('lines_state').notNull(),
    is_missing: flag('is_missing'),
    is_deleted: flag('is_deleted'),
  })
  .existing();

export const biOrderLines = bi
  .view('order_lines', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    line_no: smallint('line_no').notNull(),
    order_date: day('order_date'),
    created_at: instant('created_at'),
    status_code: text('status_code').notNull(),
    status: text('status').notNull(),
    stage: text('stage').notNull(),
    is_sale: flag('is_sale'),
    is_deleted: flag('is_deleted'),
    currency: text('currency'),
    customer_key: text('customer_key').notNull(),
    is_guest: flag('is_guest'),
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
    discount_amount: money('discount_amount'),
    discount_raw: text('discount_raw'),
    discount_pct: percent('discount_pct'),
  })
  .existing();

export const biDailySales = bi
  .view('daily_sales', {
    ...shop(),
    order_date: day('order_date'),
    currency: text('currency'),
    orders: count('orders'),
    revenue: total('revenue'),
    paid: total('paid'),
    avg_order_value: average('avg_order_value'),
    items: count('items'),
    customers: count('customers'),
    new_customers: count('new_customers'),
    cancelled_orders: count('cancelled_orders'),
    returned_orders: count('returned_orders'),
    draft_orders: count('draft_orders'),
    other_orders: count('other_orders'),
  })
  .existing();

export const biProductSales = bi
  .view('product_sales', {
    ...shop(),
    order_date: day('order_date'),
    product_oid: id64('product_oid'),
    product_name: text('product_name'),
    sku: text('sku'),
    currency: text('currency'),
    orders: count('orders'),
    quantity: numeric('quantity', { precision: 16, scale: 3 }).notNull(),
    revenue: total('revenue'),
    avg_unit_price: average('avg_unit_price'),
    discount_amount: total('discount_amount'),
  })
  .existing();

export const biCustomers = bi
  .view('customers', {
    ...shop(),
    customer_key: text('customer_key').notNull(),
    currency: text('currency'),
    first_order_date: day('first_order_date'),
    last_order_date: day('last_order_date'),
    orders: count('orders'),
    lifetime_revenue: total('lifetime_revenue'),
    avg_order_value: average('avg_order_value'),
    is_repeat: flag('is_repeat'),
    is_guest: flag('is_guest'),
    group_oid: id64('group_oid'),
    user_group: text('user_group'),
  })
  .existing();

export const biCompleteness = bi
  .view('completeness', {
    ...shop(),
    day: day('day').notNull(),
    age_days: integer('age_days').notNull(),
    verified_at: instant('verified_at'),
    orders: integer('orders'),
    warehouse_orders: count('warehouse_orders'),
    missing_orders: count('missing_orders'),
    is_verified: flag('is_verified'),
    freshness_target: interval('freshness_target').notNull(),
    is_due: flag('is_due'),
    attempts: smallint('attempts').notNull(),
    last_error: text('last_error'),
  })
  .existing();
