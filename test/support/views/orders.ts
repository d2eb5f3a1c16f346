/** Views about single orders. */
import { boolean, integer, numeric, smallint, text } from 'drizzle-orm/pg-core';

import { id64, instant, money, moneySum, percent, quantity } from '../../../src/warehouse/schema/columns.ts';
import { average, bi, count, day, flag, duration, shop } from './columns.ts';

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
    item_count: numeric('item_count', { precision: 14, scale: 3 }),
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
    changed_at: instant('changed_at').notNull(),
    first_seen_at: instant('first_seen_at').notNull(),
    deleted_at: instant('deleted_at'),
    order_hour: integer('order_hour'),
    order_weekday: integer('order_weekday'),
    order_week: day('order_week'),
    order_month: day('order_month'),
    order_number_of_customer: integer('order_number_of_customer'),
    is_first_order: boolean('is_first_order'),
    delivered_at: instant('delivered_at'),
    lines_total: moneySum('lines_total'),
    list_total: moneySum('list_total'),
    order_discount: numeric('order_discount', { precision: 22, scale: 2 }),
    outstanding: average('outstanding'),
    units: quantity('units'),
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
    line_discount: money('line_discount'),
    discount_raw: text('discount_raw'),
    discount_percent: percent('discount_percent'),
    changed_at: instant('changed_at').notNull(),
  })
  .existing();

export const biOrderFields = bi
  .view('order_fields', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    field_key: text('field_key'),
    value: text('value'),
    name: text('name'),
    label: text('label'),
    is_hidden: flag('is_hidden'),
    order_date: day('order_date'),
    currency: text('currency'),
    order_sum: money('order_sum'),
    customer_key: text('customer_key').notNull(),
    is_sale: flag('is_sale'),
    is_deleted: flag('is_deleted'),
    field_no: integer('field_no').notNull(),
  })
  .existing();

export const biOrderHistory = bi
  .view('order_history', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    seq: integer('seq').notNull(),
    order_date: day('order_date'),
    status_code: text('status_code').notNull(),
    status: text('status').notNull(),
    stage: text('stage').notNull(),
    pay_status_code: text('pay_status_code').notNull(),
    pay_status: text('pay_status').notNull(),
    currency: text('currency'),
    order_sum: money('order_sum'),
    paid_amount: money('paid_amount'),
    is_initial: flag('is_initial'),
    is_current: flag('is_current'),
    previous_status_code: text('previous_status_code'),
    previous_pay_status_code: text('previous_pay_status_code'),
    source_updated_at: instant('source_updated_at'),
    not_before: instant('not_before'),
    observed_at: instant('observed_at').notNull(),
    observed_until: instant('observed_until'),
    uncertainty_hours: duration('uncertainty_hours'),
    observed_hours: duration('observed_hours'),
    is_deleted: flag('is_deleted'),
  })
  .existing();

export const biStatusFunnel = bi
  .view('status_funnel', {
    ...shop(),
    level: text('level').notNull(),
    stage: text('stage').notNull(),
    status_code: text('status_code'),
    status: text('status'),
    stage_order: smallint('stage_order'),
    orders_reached: count('orders_reached'),
    orders_now: count('orders_now'),
    all_orders: count('all_orders'),
    reached_percent: percent('reached_percent'),
    now_percent: percent('now_percent'),
    order_month: day('order_month'),
    currency: text('currency'),
    source: text('source'),
    watched_since: instant('watched_since').notNull(),
  })
  .existing();

export const biDeliveryTimes = bi
  .view('delivery_times', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    created_at: instant('created_at'),
    not_before: instant('not_before').notNull(),
    delivered_at: instant('delivered_at').notNull(),
    days_to_deliver: duration('days_to_deliver'),
    uncertainty_hours: duration('uncertainty_hours').notNull(),
    delivery_id: id64('delivery_id'),
    delivery_name: text('delivery_name'),
    currency: text('currency'),
    status_code: text('status_code').notNull(),
    status: text('status').notNull(),
    stage: text('stage').notNull(),
    is_sale: flag('is_sale'),
  })
  .existing();
