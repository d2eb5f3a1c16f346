/** Schema `core`: the shops, what their codes mean, and which fields of their order forms are shown. */
import { type SQL, sql } from 'drizzle-orm';
import { boolean, integer, pgSchema, primaryKey, smallint, text } from 'drizzle-orm/pg-core';

import { ORDER_STAGES } from '../../model/status-codes.ts';
import { CODE_FORM, HIDDEN_CODE } from '../../model/status-codes.ts';
import { instant, instantNow, isOneOf } from './columns.ts';

export const core = pgSchema('core');

export const shops = core.table('shops', {
  shop_id: integer('shop_id').primaryKey().generatedAlwaysAsIdentity(),
  shop_key: text('shop_key').notNull().unique(),
  base_url: text('base_url').notNull(),
  timezone: text('timezone').notNull(),
  created_at: instantNow('created_at'),
  paused_at: instant('paused_at'),
  resumed_at: instant('resumed_at'),
  deletion_started_at: instant('deletion_started_at'),
  versions_since: instant('versions_since').default(sql`now()`),
});

export const shopId = () =>
  integer('shop_id')
    .notNull()
    .references(() => shops.shop_id);

/**
 * A code as it is if it is documented, looks like a code, or was classified by the owner. Of any other, which may be whatever somebody
 * typed there, `bi` and reports show the number: see `ops.code_shown`.
 *
 * @param classified tells that the owner classified or named it
 */
function shownCode(code: string, classified: string): SQL {
  return sql.raw(`CASE WHEN is_documented OR ${classified} OR name_local IS NOT NULL
    OR ${code} COLLATE "C" ~ '${CODE_FORM}' THEN ${code} ELSE '${HIDDEN_CODE}' END`);
}

const SHOWN_STATUS = shownCode('status_code', "stage <> 'unknown' OR is_sale OR name <> status_code");
const SHOWN_PAYMENT = shownCode('pay_status_code', 'name <> pay_status_code');

/** What `bi` calls a code: the owner's name, else the documented one, else the code as shown. */
function shownName(code: string, shown: SQL): SQL {
  return sql`coalesce(name_local, nullif(name, ${sql.raw(code)}), ${shown})`;
}

export const orderStatuses = core.table(
  'order_statuses',
  {
    shop_id: shopId(),
    status_code: text('status_code').notNull(),
    name: text('name').notNull(),
    name_local: text('name_local'),
    stage: text('stage', { enum: ORDER_STAGES }).notNull(),
    stage_order: smallint('stage_order'),
    is_sale: boolean('is_sale').notNull(),
    is_final: boolean('is_final').notNull(),
    is_documented: boolean('is_documented').notNull(),
    shown_code: text('shown_code').notNull().generatedAlwaysAs(SHOWN_STATUS),
    shown_name: text('shown_name').notNull().generatedAlwaysAs(shownName('status_code', SHOWN_STATUS)),
    code_no: integer('code_no'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.status_code] }),
    isOneOf('order_statuses_stage_check', table.stage, ORDER_STAGES),
  ],
);

export const paymentStatuses = core.table(
  'payment_statuses',
  {
    shop_id: shopId(),
    pay_status_code: text('pay_status_code').notNull(),
    name: text('name').notNull(),
    name_local: text('name_local'),
    is_documented: boolean('is_documented').notNull(),
    shown_code: text('shown_code').notNull().generatedAlwaysAs(SHOWN_PAYMENT),
    shown_name: text('shown_name').notNull().generatedAlwaysAs(shownName('pay_status_code', SHOWN_PAYMENT)),
    code_no: integer('code_no'),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.pay_status_code] })],
);

/** Which extra fields of orders the views of `bi` show; all others are hidden. Only the owner writes it. */
export const orderFormFields = core.table(
  'order_form_fields',
  {
    shop_id: shopId(),
    field_key: text('field_key').notNull(),
    is_shown: boolean('is_shown').notNull(),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.field_key] })],
);
