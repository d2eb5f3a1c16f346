/** Views about the copy itself: how complete, fresh and consistent it is. */
import { integer, interval, numeric, smallint, text } from 'drizzle-orm/pg-core';

import { id64, instant, money } from '../../../src/warehouse/schema/columns.ts';
import { average, bi, count, day, flag, shop } from './columns.ts';

export const biDataQuality = bi
  .view('data_quality', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    status_code: text('status_code').notNull(),
    status: text('status').notNull(),
    stage: text('stage').notNull(),
    is_sale: flag('is_sale'),
    currency: text('currency'),
    order_sum: money('order_sum'),
    line_count: count('line_count'),
    lines_total: average('lines_total'),
    delivery_price: money('delivery_price'),
    difference: average('difference'),
    item_count: numeric('item_count', { precision: 14, scale: 3 }),
    lines_quantity: numeric('lines_quantity', { precision: 16, scale: 3 }),
    lines_state: text('lines_state').notNull(),
    has_problem: flag('has_problem'),
    problems: text('problems'),
    changed_at: instant('changed_at').notNull(),
    item_count_means: text('item_count_means').notNull(),
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
    confirmed_at: instant('confirmed_at'),
  })
  .existing();

export const biSyncFreshness = bi
  .view('sync_freshness', {
    ...shop(),
    first_day: day('first_day'),
    last_day: day('last_day'),
    complete_through: day('complete_through'),
    last_ok_at: instant('last_ok_at'),
    last_run_at: instant('last_run_at'),
    newest_verified_at: instant('newest_verified_at'),
    due_days: count('due_days'),
    failing_days: count('failing_days'),
    orders: count('orders'),
    orders_missing: count('orders_missing'),
    orders_without_lines: count('orders_without_lines'),
    open_rejections: count('open_rejections'),
  })
  .existing();

export const biUnclassifiedStatuses = bi
  .view('unclassified_statuses', {
    ...shop(),
    kind: text('kind').notNull(),
    code: text('code').notNull(),
    orders: count('orders'),
    last_order_date: day('last_order_date'),
  })
  .existing();
