/** What is remembered of a shop between runs, and what a run counted last. */
import { sql } from 'drizzle-orm';
import { boolean, check, integer, jsonb, text } from 'drizzle-orm/pg-core';

import type { Findings } from '../../model/alert-facts.ts';
import type { JsonObject } from '../../model/json.ts';
import { instant, instantNow, localDay } from './columns.ts';
import { count, ops, soleShopId } from './ops.ts';

/** What is remembered of a shop between runs: see `sync/run/shop-state.ts`. */
export const shopState = ops.table(
  'shop_state',
  {
    shop_id: soleShopId(),
    freshness: jsonb('freshness').$type<readonly FreshnessRecord[]>().notNull(),
    history_from: localDay('history_from'),
    completed_at: instant('completed_at'),
    looked_at: instant('looked_at'),
    ok_at: instant('ok_at'),
    findings: jsonb('findings').$type<Findings>().notNull().default({}),
    line_relations: text('line_relations').array().notNull().default([]),
    line_relations_at: instant('line_relations_at'),
    normalizer_version: integer('normalizer_version').notNull(),
    privacy_policy: text('privacy_policy'),
    next_sweep_at: instantNow('next_sweep_at'),
    sweep_planned_at: instantNow('sweep_planned_at'),
    sweep_is_cut: boolean('sweep_is_cut').notNull().default(false),
    sweeps_begun: integer('sweeps_begun').notNull().default(0),
    memory: jsonb('memory').$type<JsonObject>().notNull().default({}),
    saved_at: instantNow('saved_at'),
  },
  (table) => [check('shop_state_freshness_check', sql`jsonb_typeof(${table.freshness}) = 'array'`)],
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
