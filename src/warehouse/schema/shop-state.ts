/** What is remembered of a shop between runs, and what a run counted last. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, doublePrecision, integer, jsonb, text } from 'drizzle-orm/pg-core';

import type { Findings, Rhythm } from '../../model/alert-facts.ts';
import { instant, instantNow, isOneOf, localDay } from './columns.ts';
import { count, ops, soleShopId } from './ops.ts';

const TOTAL_MEANINGS = ['unknown', 'matches', 'other'] as const;
const PACE_LIMITS = ['rate', 'slowness', 'failures'] as const;
const CIRCUITS = ['closed', 'open', 'half-open'] as const;

/** What is remembered of a shop between runs: see `sync/run/shop-state.ts`. */
export const shopState = ops.table(
  'shop_state',
  {
    shop_id: soleShopId(),
    page_limit: integer('page_limit').notNull(),
    page_rows: integer('page_rows').notNull().default(0),
    is_uneven: boolean('is_uneven').notNull().default(false),
    total_meaning: text('total_meaning', { enum: TOTAL_MEANINGS }).notNull().default('unknown'),
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
    counted_at: instant('counted_at'),
    counted_through: localDay('counted_through'),
    counted_orders: bigint('counted_orders', { mode: 'number' }),
    counted_facets: integer('counted_facets'),
    count_requests_left: doublePrecision('count_requests_left'),
    count_every_seconds: doublePrecision('count_every_seconds'),
    completed_at: instant('completed_at'),
    looked_at: instant('looked_at'),
    ok_at: instant('ok_at'),
    pruned_at: instant('pruned_at'),
    findings: jsonb('findings').$type<Findings>().notNull().default({}),
    line_relations: text('line_relations').array().notNull().default([]),
    line_relations_at: instant('line_relations_at'),
    requests_hour: instant('requests_hour'),
    requests_by_hour: integer('requests_by_hour').array().notNull().default([]),
    normalizer_version: integer('normalizer_version').notNull(),
    privacy_policy: text('privacy_policy'),
    next_sweep_at: instantNow('next_sweep_at'),
    sweep_planned_at: instantNow('sweep_planned_at'),
    sweep_is_cut: boolean('sweep_is_cut').notNull().default(false),
    sweeps_begun: integer('sweeps_begun').notNull().default(0),
    history_from: localDay('history_from'),
    saved_at: instantNow('saved_at'),
  },
  (table) => [
    isOneOf('shop_state_total_meaning_check', table.total_meaning, TOTAL_MEANINGS),
    isOneOf('shop_state_circuit_check', table.circuit, CIRCUITS),
    isOneOf('shop_state_limited_by_check', table.limited_by, PACE_LIMITS),
    check('shop_state_freshness_check', sql`jsonb_typeof(${table.freshness}) = 'array'`),
  ],
);

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
  unclassified: jsonb('unclassified').$type<readonly CodeCountRecord[]>(),
  rhythm: jsonb('rhythm').$type<Rhythm>(),
  surveyed_at: instant('surveyed_at'),
});

/** A code of the shop's own that is not classified yet, and how many current orders have it. */
export type CodeCountRecord = {
  readonly kind: 'order' | 'payment';
  /** `(hidden)` for all that are not shown. */
  readonly code: string;
  readonly orders: number;
};

/** One rule of a freshness policy, as the views of `bi` read it; the last one has no age. */
export type FreshnessRecord = {
  readonly younger_than_days: number | null;
  readonly target_seconds: number;
};
