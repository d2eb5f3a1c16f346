/** Schema `ops`: what operators are told about shops, and what that is judged by. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';

import { instant, instantNow, isOneOf } from './columns.ts';
import { ops } from './ops.ts';
import { shopId } from './shops.ts';

/** Names of the fields that the shop's records had so far, so that a new one is noticed. */
export const payloadFields = ops.table(
  'payload_fields',
  {
    shop_id: shopId(),
    resource: text('resource').notNull(),
    field: text('field').notNull(),
    is_new: boolean('is_new').notNull(),
    first_seen_at: instantNow('first_seen_at'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.resource, table.field] }),
    isOneOf('payload_fields_resource_check', table.resource, ['order', 'line', 'form']),
  ],
);

/** Alerts with the state of their delivery: see `warehouse/ops/alerts.ts`. */
export const alerts = ops.table(
  'alerts',
  {
    shop_id: shopId(),
    alert_id: bigint('alert_id', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    cause: text('cause').notNull(),
    text: text('text').notNull(),
    raised_at: instant('raised_at').notNull(),
    told_at: instant('told_at'),
    recovered_at: instant('recovered_at'),
    recovery_told_at: instant('recovery_told_at'),
    closed_at: instant('closed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.alert_id] }),
    isOneOf('alerts_cause_check', table.cause, [
      'failing',
      'stale',
      'credentials',
      'deletions',
      'rejections',
      'silent',
      'clock',
      'drift',
      'crashes',
    ]),
    uniqueIndex('alerts_open_key')
      .on(table.shop_id, table.cause)
      .where(sql`${table.closed_at} IS NULL`),
  ],
);
