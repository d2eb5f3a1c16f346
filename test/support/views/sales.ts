/** Views about sales. */
import { bigint, integer, numeric, text } from 'drizzle-orm/pg-core';

import { id64, percent } from '../../../src/warehouse/schema/columns.ts';
import { average, bi, count, day, flag, shop, total } from './columns.ts';

export const biDailySales = bi
  .view('daily_sales', {
    ...shop(),
    order_date: day('order_date'),
    currency: text('currency'),
    orders: count('orders'),
    revenue: total('revenue'),
    paid: total('paid'),
    avg_order_value: average('avg_order_value'),
    items: numeric('items', { precision: 16, scale: 3 }).notNull(),
    customers: count('customers'),
    new_customers: bigint('new_customers', { mode: 'number' }),
    cancelled_orders: count('cancelled_orders'),
    returned_orders: count('returned_orders'),
    draft_orders: count('draft_orders'),
    other_orders: count('other_orders'),
    returning_customers: bigint('returning_customers', { mode: 'number' }),
    goods_amount: total('goods_amount'),
    line_discount: total('line_discount'),
    order_discount: total('order_discount'),
    delivery_amount: total('delivery_amount'),
    other_amount: total('other_amount'),
    cancelled_amount: total('cancelled_amount'),
    returned_amount: total('returned_amount'),
    history_from: day('history_from'),
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
    line_discount: total('line_discount'),
  })
  .existing();

export const biSalesByField = bi
  .view('sales_by_field', {
    ...shop(),
    order_date: day('order_date'),
    field_key: text('field_key').notNull(),
    label: text('label'),
    value: text('value'),
    is_hidden: flag('is_hidden'),
    currency: text('currency'),
    orders: count('orders'),
    revenue: total('revenue'),
    avg_order_value: average('avg_order_value'),
    customers: count('customers'),
  })
  .existing();

export const biBasket = bi
  .view('basket', {
    ...shop(),
    product_oid: id64('product_oid').notNull(),
    product_name: text('product_name'),
    with_product_oid: id64('with_product_oid').notNull(),
    with_product_name: text('with_product_name'),
    orders_together: count('orders_together'),
    product_orders: count('product_orders'),
    with_product_orders: count('with_product_orders'),
    all_orders: count('all_orders'),
    support_percent: percent('support_percent').notNull(),
    confidence_percent: percent('confidence_percent').notNull(),
    lift: numeric('lift', { precision: 14, scale: 4 }).notNull(),
  })
  .existing();

export const biSalesByHour = bi
  .view('sales_by_hour', {
    ...shop(),
    order_date: day('order_date'),
    order_weekday: integer('order_weekday'),
    order_hour: integer('order_hour'),
    currency: text('currency'),
    orders: count('orders'),
    revenue: total('revenue'),
    avg_order_value: average('avg_order_value'),
  })
  .existing();

export const biGroupSales = bi
  .view('group_sales', {
    ...shop(),
    order_date: day('order_date'),
    group_oid: id64('group_oid'),
    user_group: text('user_group'),
    is_guest: flag('is_guest'),
    currency: text('currency'),
    orders: count('orders'),
    revenue: total('revenue'),
    paid: total('paid'),
    avg_order_value: average('avg_order_value'),
    customers: count('customers'),
  })
  .existing();
