/** Schema `ops`: the sync's own books. Tables that SQL alone writes stand in the migrations only. */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgSchema, primaryKey, smallint, text } from 'drizzle-orm/pg-core';

import type { JsonObject } from '../../model/json.ts';
import { instant, instantNow, isOneOf, localDay } from './columns.ts';
import { shopId, shops } from './shops.ts';

export const ops = pgSchema('ops');

export const count = (name: string) => integer(name).notNull().default(0);
export const soleShopId = () =>
  integer('shop_id')
    .primaryKey()
    .references(() => shops.shop_id);

export const days = ops.table(
  'days',
  {
    shop_id: shopId(),
    day: localDay('day').notNull(),
    verified_at: instant('verified_at'),
    last_verified_at: instant('last_verified_at'),
    orders_seen: integer('orders_seen'),
    changed_at: instant('changed_at'),
    attempts: smallint('attempts').notNull().default(0),
    last_error: text('last_error'),
    retry_at: instant('retry_at'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.day] }),
    index('days_unverified_idx')
      .on(table.shop_id, table.day)
      .where(sql`${table.verified_at} IS NULL`),
    // Among these are the days that were verified before they ended.
    index('days_verified_soon_idx')
      .on(table.shop_id, table.day)
      .where(sql`${table.verified_at} AT TIME ZONE 'UTC' < ${table.day} + 2`),
  ],
);

const RUN_KINDS = ['sync', 'backfill', 'verify', 'replay', 'forget'] as const;
const RUN_STATUSES = ['running', 'ok', 'partial', 'failed', 'interrupted', 'abandoned'] as const;

export const runs = ops.table(
  'runs',
  {
    run_id: bigint('run_id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    shop_id: shopId(),
    kind: text('kind', { enum: RUN_KINDS }).notNull(),
    status: text('status', { enum: RUN_STATUSES }).notNull(),
    started_at: instantNow('started_at'),
    finished_at: instant('finished_at'),
    requests: count('requests'),
    list_requests: count('list_requests'),
    content_requests: count('content_requests'),
    user_requests: count('user_requests'),
    retries: count('retries'),
    days_verified: count('days_verified'),
    orders_seen: count('orders_seen'),
    orders_new: count('orders_new'),
    orders_changed: count('orders_changed'),
    orders_missing: count('orders_missing'),
    rejections: count('rejections'),
    error: text('error'),
    version: text('version').notNull(),
  },
  (table) => [
    isOneOf('runs_kind_check', table.kind, RUN_KINDS),
    isOneOf('runs_status_check', table.status, RUN_STATUSES),
    index('runs_shop_started_idx').on(table.shop_id, table.started_at.desc()),
    index('runs_open_idx')
      .on(table.shop_id)
      .where(sql`${table.status} = 'running'`),
  ],
);

/** What is to be done later: orders whose lines are to be asked for again, and so on. */
export const DUE_KINDS = ['lines', 'missing', 'count', 'replay', 'user'] as const;

export const due = ops.table(
  'due',
  {
    shop_id: shopId(),
    kind: text('kind', { enum: DUE_KINDS }).notNull(),
    key: text('key').notNull(),
    due_at: instant('due_at').notNull(),
    since: instantNow('since'),
    attempts: smallint('attempts').notNull().default(0),
    reason: text('reason'),
    data: jsonb('data').$type<JsonObject>(),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.kind, table.key] }),
    isOneOf('due_kind_check', table.kind, DUE_KINDS),
    index('due_at_idx').on(table.shop_id, table.kind, table.due_at),
  ],
);

/** Nobody but the owner of the warehouse and its workers reads it. */
export const guestSecrets = ops.table('guest_secrets', {
  shop_id: soleShopId(),
  secret: text('secret'),
  digest: text('digest').notNull(),
});

/** Persons who must not be stored again. */
export const erasures = ops.table(
  'erasures',
  {
    shop_id: shopId(),
    identifier_hash: text('identifier_hash').notNull(),
    erased_at: instantNow('erased_at'),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.identifier_hash] })],
);
