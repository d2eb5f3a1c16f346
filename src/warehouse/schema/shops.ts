/** Schema `core`: the shops, what their codes mean, and which fields of their order forms are shown. */
import { sql } from 'drizzle-orm';
import { boolean, integer, pgSchema, smallint, text } from 'drizzle-orm/pg-core';

import { ORDER_STAGES } from '../../model/status-codes.ts';
import { instant, instantNow, shopId } from './columns.ts';

export const core = pgSchema('core');

export const shops = core.table('shops', {
  shop_id: integer('shop_id').primaryKey().generatedAlwaysAsIdentity(),
  shop_key: text('shop_key').notNull(),
  base_url: text('base_url').notNull(),
  timezone: text('timezone').notNull(),
  created_at: instantNow('created_at'),
  paused_at: instant('paused_at'),
  resumed_at: instant('resumed_at'),
  deletion_started_at: instant('deletion_started_at'),
  versions_since: instant('versions_since').default(sql`now()`),
});

/** What the database makes of the columns beside it. */
const generated = (name: string) =>
  text(name)
    .notNull()
    .generatedAlwaysAs(sql``);

export const orderStatuses = core.table('order_statuses', {
  shop_id: shopId(),
  status_code: text('status_code').primaryKey(),
  name: text('name').notNull(),
  name_local: text('name_local'),
  stage: text('stage', { enum: ORDER_STAGES }).notNull(),
  stage_order: smallint('stage_order'),
  is_sale: boolean('is_sale').notNull(),
  is_final: boolean('is_final').notNull(),
  is_documented: boolean('is_documented').notNull(),
  shown_code: generated('shown_code'),
  shown_name: generated('shown_name'),
  code_no: integer('code_no'),
});

export const paymentStatuses = core.table('payment_statuses', {
  shop_id: shopId(),
  pay_status_code: text('pay_status_code').primaryKey(),
  name: text('name').notNull(),
  name_local: text('name_local'),
  is_documented: boolean('is_documented').notNull(),
  shown_code: generated('shown_code'),
  shown_name: generated('shown_name'),
  code_no: integer('code_no'),
});

/** Which extra fields of orders the views of `bi` show; all others are hidden. Only the owner writes it. */
export const orderFormFields = core.table('order_form_fields', {
  shop_id: shopId(),
  field_key: text('field_key').primaryKey(),
  is_shown: boolean('is_shown').notNull(),
});
