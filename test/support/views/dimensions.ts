/** Views about what orders refer to. */
import { boolean, integer, text } from 'drizzle-orm/pg-core';

import { id64, instant } from '../../../src/warehouse/schema/columns.ts';
import { bi, count, day, flag, shop } from './columns.ts';

export const biShops = bi
  .view('shops', {
    ...shop(),
    timezone: text('timezone').notNull(),
    currency: text('currency'),
    first_order_date: day('first_order_date'),
    last_order_date: day('last_order_date'),
    orders: count('orders'),
    added_at: instant('added_at').notNull(),
    paused_at: instant('paused_at'),
    history_from: day('history_from'),
  })
  .existing();

export const biStatuses = bi
  .view('statuses', {
    ...shop(),
    status_code: text('status_code').notNull(),
    status: text('status').notNull(),
    english_name: text('english_name').notNull(),
    stage: text('stage').notNull(),
    is_sale: flag('is_sale'),
    is_final: flag('is_final'),
    is_documented: flag('is_documented'),
  })
  .existing();

export const biUserGroups = bi
  .view('user_groups', {
    ...shop(),
    group_oid: id64('group_oid').notNull(),
    user_group: text('user_group'),
    parent_oid: id64('parent_oid'),
    depth: integer('depth').notNull(),
    path: text('path').notNull(),
    path_oids: text('path_oids').notNull(),
    is_deleted: flag('is_deleted'),
  })
  .existing();

export const biProducts = bi
  .view('products', {
    ...shop(),
    product_oid: id64('product_oid').notNull(),
    product_name: text('product_name'),
    skus: text('skus'),
    first_sale_date: day('first_sale_date'),
    last_sale_date: day('last_sale_date'),
    orders: count('orders'),
  })
  .existing();

export const biCalendar = bi
  .view('calendar', {
    day: day('day').notNull(),
    week: day('week').notNull(),
    month: day('month').notNull(),
    quarter: day('quarter').notNull(),
    weekday: integer('weekday').notNull(),
    is_weekend: boolean('is_weekend').notNull(),
    iso_year: integer('iso_year').notNull(),
    iso_week: integer('iso_week').notNull(),
    same_day_last_year: day('same_day_last_year').notNull(),
    month_name: text('month_name').notNull(),
  })
  .existing();
