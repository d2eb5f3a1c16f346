/** Schema `ops`: the sync's own books: ledger, runs, leases, rejections, what is remembered of a shop, migrations. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';

import { LINE_RELATIONS } from '../../line-facts.ts';
import type { Rhythm } from '../../alert-facts.ts';
import { id64, instant, isOneOf, localTime } from './columns.ts';
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
    last_verified_at: instant('last_verified_at'),
    orders_seen: integer('orders_seen'),
    changed_at: instant('changed_at'),
    moves: integer('moves').notNull().default(0),
    attempts: smallint('attempts').notNull().default(0),
    last_error: text('last_error'),
    retry_at: instant('retry_at'),
    read_from: localTime('read_from'),
    read_since: instant('read_since'),
    read_orders: integer('read_orders'),
    read_moves: integer('read_moves'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.day] }),
    index('days_unverified_idx')
      .on(table.shop_id, table.day)
      .where(sql`${table.verified_at} IS NULL`),
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
    isOneOf('runs_kind_check', table.kind, RUN_KINDS),
    isOneOf('runs_status_check', table.status, RUN_STATUSES),
    index('runs_shop_started_idx').on(table.shop_id, table.started_at.desc()),
    index('runs_open_idx')
      .on(table.shop_id)
      .where(sql`${table.status} = 'running'`),
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
    isOneOf('rejections_resource_check', table.resource, ['order', 'content', 'user', 'group']),
    unique('rejections_shop_digest_key').on(table.shop_id, table.digest),
    index('rejections_open_idx')
      .on(table.shop_id, table.resource, table.source_key)
      .where(sql`${table.resolved_at} IS NULL`),
    index('rejections_first_seen_idx').on(table.shop_id, table.first_seen_at),
  ],
);

const TOTAL_MEANINGS = ['unknown', 'matches', 'other'] as const;
const PACE_LIMITS = ['rate', 'slowness', 'failures'] as const;
const CIRCUITS = ['closed', 'open', 'half-open'] as const;
export const REPLAY_STAGES = ['orders', 'users', 'groups'] as const;

/** What is remembered of a shop between runs: see `sync/run/shop-state.ts`. */
export const shopState = ops.table(
  'shop_state',
  {
    shop_id: soleShopId(),
    page_limit: integer('page_limit').notNull(),
    page_rows: integer('page_rows').notNull().default(0),
    is_uneven: boolean('is_uneven').notNull().default(false),
    total_meaning: text('total_meaning', { enum: TOTAL_MEANINGS }).notNull().default('unknown'),
    wants_both_dates: boolean('wants_both_dates').notNull().default(false),
    is_undated_partial: boolean('is_undated_partial').notNull().default(false),
    list_ends_at: integer('list_ends_at'),
    freshness: jsonb('freshness').$type<readonly FreshnessRecord[]>().notNull(),
    concurrency: integer('concurrency'),
    lowest_concurrency: integer('lowest_concurrency'),
    max_concurrency: integer('max_concurrency'),
    max_rps: doublePrecision('max_rps'),
    found_rps: doublePrecision('found_rps'),
    limited_by: text('limited_by', { enum: PACE_LIMITS }),
    circuit: text('circuit', { enum: CIRCUITS }),
    load_rps: doublePrecision('load_rps'),
    listed_orders: bigint('listed_orders', { mode: 'number' }),
    paused_until: instant('paused_until'),
    audited_at: instant('audited_at'),
    audit_orders: bigint('audit_orders', { mode: 'number' }),
    audit_total: bigint('audit_total', { mode: 'number' }),
    audit_live: bigint('audit_live', { mode: 'number' }),
    counted_at: instant('counted_at'),
    counted_through: date('counted_through', { mode: 'string' }),
    counted_orders: bigint('counted_orders', { mode: 'number' }),
    counted_facets: integer('counted_facets'),
    count_requests_left: doublePrecision('count_requests_left'),
    count_every_seconds: doublePrecision('count_every_seconds'),
    facet_doubts: jsonb('facet_doubts').$type<readonly FacetDoubtRecord[]>().notNull().default([]),
    completed_at: instant('completed_at'),
    looked_at: instant('looked_at'),
    ok_at: instant('ok_at'),
    pruned_at: instant('pruned_at'),
    clock_warning: text('clock_warning'),
    silence_factor: doublePrecision('silence_factor'),
    line_relations: text('line_relations', { enum: LINE_RELATIONS }).array().notNull().default([]),
    line_relations_at: instant('line_relations_at'),
    requests_hour: instant('requests_hour'),
    requests_by_hour: integer('requests_by_hour').array().notNull().default([]),
    normalizer_version: integer('normalizer_version').notNull(),
    replay_version: integer('replay_version'),
    replay_rekey: boolean('replay_rekey'),
    replay_stage: text('replay_stage', { enum: REPLAY_STAGES }),
    replay_after: text('replay_after'),
    replay_done: integer('replay_done'),
    privacy_policy: text('privacy_policy'),
    saved_at: instant('saved_at').notNull().defaultNow(),
  },
  (table) => [
    isOneOf('shop_state_total_meaning_check', table.total_meaning, TOTAL_MEANINGS),
    isOneOf('shop_state_circuit_check', table.circuit, CIRCUITS),
    isOneOf('shop_state_limited_by_check', table.limited_by, PACE_LIMITS),
    check('shop_state_freshness_check', sql`jsonb_typeof(${table.freshness}) = 'array'`),
    isOneOf('shop_state_replay_stage_check', table.replay_stage, REPLAY_STAGES),
  ],
);

/** A facet whose counts a reading of a day contradicted, and until when it is not asked for. */
export type FacetDoubtRecord = {
  readonly facet: string;
  readonly times: number;
  readonly reason: string;
  readonly until: string;
};

/** What a run counted last, so that nobody who watches many shops has to. */
export const shopFigures = ops.table('shop_figures', {
  shop_id: soleShopId(),
  orders: count('orders'),
  orders_missing: count('orders_missing'),
  orders_deleted: count('orders_deleted'),
  orders_without_lines: count('orders_without_lines'),
  orders_with_doubtful_lines: count('orders_with_doubtful_lines'),
  open_rejections: count('open_rejections'),
  counted_at: instant('counted_at').notNull(),
  change_ages: jsonb('change_ages').$type<ChangeAgesRecord>(),
  unclassified: jsonb('unclassified').$type<readonly CodeCountRecord[]>(),
  rhythm: jsonb('rhythm').$type<Rhythm>(),
  surveyed_at: instant('surveyed_at'),
});

/** At which age of an order its changes were first seen, in days: half of them by `p50`, 99 of 100 by `p99`. */
export type ChangeAgesRecord = {
  readonly changes: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** By age, youngest first: those that are younger than this many days; null: of any age. Absent in older records. */
  readonly by_age?: readonly { readonly under_days: number | null; readonly changes: number }[];
};
/** A code of the shop's own that is not classified yet, and how many current orders have it. */
export type CodeCountRecord = {
  readonly kind: 'order' | 'payment';
  /** `(hidden)` for all that are not shown. */
  readonly code: string;
  readonly orders: number;
};

/** Which worker does what one of them does for all. */
export const workerRoles = ops.table('worker_roles', {
  role: text('role').primaryKey(),
  holder: text('holder').notNull(),
  expires_at: instant('expires_at').notNull(),
});

/** One rule of a freshness policy, as the views of `bi` read it; the last one has no age. */
export type FreshnessRecord = {
  readonly younger_than_days: number | null;
  readonly target_seconds: number;
};

export const suspects = ops.table(
  'suspects',
  {
    shop_id: shopId(),
    order_id: id64('order_id').notNull(),
    since: instant('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.order_id] })],
);

/** What an audit that did not end has read, a stretch of the list each: see `sync/sweep/audit-shop.ts`. */
export const auditParts = ops.table(
  'audit_parts',
  {
    shop_id: shopId(),
    orders_read: integer('orders_read').notNull(),
    began_at: instant('began_at').notNull(),
    list_start: integer('list_start').notNull(),
    list_total: bigint('list_total', { mode: 'number' }),
    list_ends: jsonb('list_ends').$type<ListEndsRecord>().notNull(),
    order_ids: text('order_ids').array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.orders_read] })],
);

type PlacedRecord = { readonly orderId: string; readonly time: string };

/** The oldest and newest orders of a list so far, from an end inwards, and whether it is in order of time; times are local. */
export type ListEndsRecord = {
  readonly below: readonly PlacedRecord[];
  readonly above: readonly PlacedRecord[];
  readonly last?: string | undefined;
  readonly isAscending: boolean;
  readonly isDescending: boolean;
};

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
    erased_at: instant('erased_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.identifier_hash] })],
);

/** Which migrations and views the database has, read before anything else is: see `warehouse/db/run-migrations.ts`. */
export const migrations = ops.table('migrations', {
  name: text('name').primaryKey(),
  hash: text('hash').notNull(),
  version: text('version').notNull(),
  applied_at: instant('applied_at').notNull().defaultNow(),
  works_with: text('works_with'),
});
