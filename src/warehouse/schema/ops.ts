/** Schema `ops`: the sync's own books: ledger, runs, leases, rejections, learned API behaviour, migrations. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  pgSchema,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';

import { instant, json, localTime } from './columns.ts';
import { shopId, shops } from './shops.ts';

export const ops = pgSchema('ops');

const count = (name: string) => integer(name).notNull().default(0);
const soleShopId = () =>
  integer('shop_id')
    .primaryKey()
    .references(() => shops.shop_id);

export const days = ops.table(
  'days',
  {
    shop_id: shopId(),
    day: date('day', { mode: 'string' }).notNull(),
    verified_at: instant('verified_at'),
    orders_seen: integer('orders_seen'),
    changed_at: instant('changed_at'),
    attempts: smallint('attempts').notNull().default(0),
    last_error: text('last_error'),
    read_from: localTime('read_from'),
    read_since: instant('read_since'),
    read_orders: integer('read_orders'),
    read_restless: boolean('read_restless'),
    read_held: text('read_held'),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.day] })],
);

export const runs = ops.table(
  'runs',
  {
    run_id: bigint('run_id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    shop_id: shopId(),
    kind: text('kind').notNull(),
    status: text('status').notNull(),
    started_at: instant('started_at').notNull().defaultNow(),
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
    check('runs_kind_check', sql`${table.kind} IN ('sync','backfill','verify','replay')`),
    check(
      'runs_status_check',
      sql`${table.status} IN ('running','ok','partial','failed','interrupted','abandoned')`,
    ),
    index('runs_shop_started_idx').on(table.shop_id, table.started_at.desc()),
  ],
);

export const leases = ops.table('leases', {
  shop_id: soleShopId(),
  epoch: bigint('epoch', { mode: 'bigint' }).notNull(),
  holder: text('holder').notNull(),
  expires_at: instant('expires_at').notNull(),
});

export const rejections = ops.table(
  'rejections',
  {
    rejection_id: bigint('rejection_id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    shop_id: shopId(),
    resource: text('resource').notNull(),
    source_key: text('source_key'),
    field: text('field'),
    reason: text('reason').notNull(),
    value: text('value'),
    digest: text('digest').notNull(),
    first_seen_at: instant('first_seen_at').notNull().defaultNow(),
    last_seen_at: instant('last_seen_at').notNull().defaultNow(),
    seen_count: integer('seen_count').notNull().default(1),
    resolved_at: instant('resolved_at'),
  },
  (table) => [
    check('rejections_resource_check', sql`${table.resource} IN ('order','content','user','group')`),
    unique('rejections_shop_digest_key').on(table.shop_id, table.digest),
  ],
);

export const apiProfiles = ops.table('api_profiles', {
  shop_id: soleShopId(),
  profile: json('profile').notNull(),
  learned_at: instant('learned_at').notNull(),
});

/** Which migrations and views the database has, read before anything else is: see `warehouse/db/run-migrations.ts`. */
export const migrations = ops.table('migrations', {
  name: text('name').primaryKey(),
  hash: text('hash').notNull(),
  version: text('version').notNull(),
  applied_at: instant('applied_at').notNull().defaultNow(),
});
