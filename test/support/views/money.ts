/** Views about what is still to come, was paid or came back. */
import { integer, text } from 'drizzle-orm/pg-core';

import { id64, instant, money } from '../../../src/warehouse/schema/columns.ts';
import { average, bi, day, duration, shop, total } from './columns.ts';

export const biOpenOrders = bi
  .view('open_orders', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    age_days: integer('age_days'),
    status_code: text('status_code').notNull(),
    stage: text('stage').notNull(),
    in_status_since: instant('in_status_since'),
    currency: text('currency'),
    order_sum: money('order_sum'),
    outstanding: average('outstanding'),
  })
  .existing();

export const biReturns = bi
  .view('returns', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    delivered_at: instant('delivered_at'),
    returned_at: instant('returned_at'),
    days_to_return: duration('days_to_return'),
    currency: text('currency'),
    order_sum: money('order_sum'),
    paid_amount: money('paid_amount'),
  })
  .existing();

export const biPayments = bi
  .view('payments', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    payment_state: text('payment_state').notNull(),
    currency: text('currency'),
    order_sum: money('order_sum'),
    paid_amount: money('paid_amount'),
    outstanding: average('outstanding'),
    refunded_amount: total('refunded_amount'),
    paid_at: instant('paid_at'),
  })
  .existing();
