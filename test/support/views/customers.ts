/** Views about customers. */
import { boolean, integer, smallint, text } from 'drizzle-orm/pg-core';

import { id64, percent } from '../../../src/warehouse/schema/columns.ts';
import { average, bi, count, day, flag, shop, total } from './columns.ts';

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
    is_repeat: boolean('is_repeat'),
    is_guest: flag('is_guest'),
    group_oid: id64('group_oid'),
    user_group: text('user_group'),
    all_orders: count('all_orders'),
    currencies: count('currencies'),
    registered_on: day('registered_on'),
    history_from: day('history_from'),
  })
  .existing();

export const biCustomerRfm = bi
  .view('customer_rfm', {
    ...shop(),
    customer_key: text('customer_key').notNull(),
    currency: text('currency'),
    last_order_date: day('last_order_date'),
    recency_days: integer('recency_days'),
    orders: count('orders'),
    lifetime_revenue: total('lifetime_revenue'),
    recency_score: smallint('recency_score'),
    frequency_score: smallint('frequency_score'),
    monetary_score: smallint('monetary_score'),
    rfm_score: text('rfm_score'),
    segment: text('segment'),
    is_guest: flag('is_guest'),
    all_orders: count('all_orders'),
    history_from: day('history_from'),
  })
  .existing();

export const biCohortsMonthly = bi
  .view('cohorts_monthly', {
    ...shop(),
    cohort_month: day('cohort_month'),
    months_since: integer('months_since').notNull(),
    cohort_customers: count('cohort_customers'),
    customers: count('customers'),
    orders: count('orders'),
    retention_percent: percent('retention_percent').notNull(),
  })
  .existing();

export const biCustomerCurrencies = bi
  .view('customer_currencies', {
    ...shop(),
    customer_key: text('customer_key').notNull(),
    currency: text('currency'),
    is_main: flag('is_main'),
    first_order_date: day('first_order_date'),
    last_order_date: day('last_order_date'),
    orders: count('orders'),
    lifetime_revenue: total('lifetime_revenue'),
    avg_order_value: average('avg_order_value'),
  })
  .existing();

export const biCohortRevenue = bi
  .view('cohort_revenue', {
    ...shop(),
    cohort_month: day('cohort_month').notNull(),
    months_since: integer('months_since').notNull(),
    currency: text('currency'),
    customers: count('customers'),
    orders: count('orders'),
    revenue: total('revenue'),
  })
  .existing();
