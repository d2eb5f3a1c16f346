/** What is remembered of a shop between runs: a run loads it once, changes it in memory, and saves it again. */
import { z } from 'zod';

import type { Findings } from '../../model/alert-facts.ts';
import { isJsonObject } from '../../model/json.ts';
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import type { FreshnessPolicy } from '../../plan/days/freshness.ts';
import { unknownProfile } from '../../shop-api/paging/request-page.ts';
import type { Db } from '../../warehouse/db/database.ts';
import type { FirstState } from '../../warehouse/directory/registered-shops.ts';
import type { Lease } from '../../warehouse/ops/lease.ts';
import {
  saveShopState,
  type ShopStateChanges,
  type ShopStateRow,
} from '../../warehouse/ops/stored-shop-state.ts';

const WHEN = z.iso.datetime({ offset: true }).transform((text) => Temporal.Instant.from(text));
const DAY = z.iso.date().transform((text) => Temporal.PlainDate.from(text));
/** What cannot be read, or is not there, is not known. */
const known = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

/** Sizes windows and requests, and is shown; nothing is proven by it. Saved as one value, whatever of it changes. */
const MEMORY = z.object({
  /** How the order list pages, as far as it is known. */
  profile: z
    .object({
      limit: z.int().min(2),
      pageRows: z.int(),
      totalMeaning: z.enum(['unknown', 'matches', 'other']),
    })
    .catch(unknownProfile(500)),
  /** How the shop was treated last, named as documents have it. */
  throttle: known(
    z.object({
      concurrency: z.number(),
      lowest_concurrency: z.number(),
      max_concurrency: z.number(),
      max_rps: z.number(),
      found_rps: z.number().nullable(),
      limited_by: z.enum(['rate', 'slowness', 'failures']).nullable(),
      circuit: z.enum(['closed', 'open', 'half-open']),
    }),
  ),
  /** Requests per second of the last run with enough requests to measure it. */
  loadRps: known(z.number()),
  /** Orders that the shop said it has, when it last listed all; undefined where it does not count them. */
  listedOrders: known(z.number()),
  /** Until when the shop requested a pause. */
  pausedUntil: known(WHEN),
  /** Where the audit continues, when it began, and the orders without a date that it has seen; none: it has ended. */
  auditPosition: known(
    z.object({
      began: WHEN,
      start: z.number(),
      /** The order in the last row of the page before. */
      last: z.string().optional(),
      undated: z.array(z.string()),
    }),
  ),
  /** The last complete reading of that list. */
  audit: known(z.object({ finishedAt: WHEN, orders: z.number(), total: z.number().optional() })),
  /** The last comparison of the shop's counts: its last day, live orders, ways to count them, and requests that may be sent later. */
  counts: known(
    z.object({ at: WHEN, through: DAY, orders: z.number(), facets: z.number(), requestsLeft: z.number() }),
  ),
  /** The last comparison by `verify`: orders of verified days that differed, and that it did not make due. */
  compared: known(z.object({ at: WHEN, differing: z.number() })),
  /** How often it is asked to count its orders, by its settings and by how often sweeps come; 0: never. */
  countEveryMs: z.number().catch(0),
  /** When old records were last removed. */
  prunedAt: known(WHEN),
  /** Requests by hour, newest first: the first count is that of the hour that begins at `hour`. */
  requests: known(z.object({ hour: WHEN, counts: z.array(z.number()) })),
});

export type Memory = z.output<typeof MEMORY>;
export type AuditPosition = NonNullable<Memory['auditPosition']>;

export type ShopState = Memory & {
  /** What the latest sweeps found wrong. */
  findings: Findings;
  /** The policy of the last sweep; the views of `bi` use it. */
  freshness: FreshnessPolicy;
  /** First day to hold, by the settings of the last sweep; undefined: all days. */
  historyFrom: Temporal.PlainDate | undefined;
  /** When a sweep last had verified every due day. */
  completedAt: Temporal.Instant | undefined;
  /** When the latest sweep began. */
  lookedAt: Temporal.Instant | undefined;
  /** When a sweep last ended without any problem. */
  okAt: Temporal.Instant | undefined;
  /** What its list rows were found to say of lines when orders were last marked by it, and when that was, by the database's clock. */
  lineRelations: readonly string[];
  lineRelationsAt: Temporal.Instant | undefined;
  /** The oldest version that may have made a row of the shop. Saved when a replay ends. */
  normalizerVersion: number;
  /** The setting that all stored rows comply with; null: persons are stored. Saved when that is so. */
  privacyPolicy: string | null;
};

export function toShopState(row: ShopStateRow): ShopState {
  return {
    ...MEMORY.parse(row.memory),
    findings: row.findings,
    freshness: row.freshness.map(({ younger_than_days, target_seconds }) => ({
      youngerThanDays: younger_than_days ?? Number.POSITIVE_INFINITY,
      targetMs: Math.round(target_seconds * 1000),
    })),
    historyFrom: row.history_from ?? undefined,
    completedAt: row.completed_at ?? undefined,
    lookedAt: row.looked_at ?? undefined,
    okAt: row.ok_at ?? undefined,
    lineRelations: row.line_relations,
    lineRelationsAt: row.line_relations_at ?? undefined,
    normalizerVersion: row.normalizer_version,
    privacyPolicy: row.privacy_policy,
  };
}

/** What cannot be read of it counts as not known. */
export function readMemory(row: Pick<ShopStateRow, 'memory'> | undefined): Memory {
  return MEMORY.parse(row?.memory ?? {});
}

/** As it is stored. */
export function memoryRecord(memory: Memory): ShopStateRow['memory'] {
  const names = Object.keys(MEMORY.shape);
  const own = Object.fromEntries(Object.entries(memory).filter(([name]) => names.includes(name)));
  const record = JSON.parse(JSON.stringify(own));
  return isJsonObject(record) ? record : {};
}

/** The columns of a state, except those of replays and privacy. */
function toColumns(state: ShopState): ShopStateChanges {
  return {
    findings: state.findings,
    freshness: freshnessRecords(state.freshness),
    history_from: state.historyFrom ?? null,
    completed_at: state.completedAt ?? null,
    looked_at: state.lookedAt ?? null,
    ok_at: state.okAt ?? null,
    line_relations: [...state.lineRelations],
    line_relations_at: state.lineRelationsAt ?? null,
    memory: memoryRecord(state),
  };
}

/** @returns a function that saves what changed since the last load or save; it sends no statement if nothing did */
export function createStateSaver(
  db: Db,
  lease: Lease,
  stored: ShopStateRow,
  now: () => Temporal.Instant,
): (state: ShopState) => Promise<void> {
  let saved = toColumns(toShopState(stored));
  const save = async (state: ShopState) => {
    const next = toColumns(state);
    const before = new Map(Object.entries(saved));
    const changes = Object.entries(next).filter(
      ([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value),
    );
    if (changes.length === 0) return;
    await saveShopState(db, lease, Object.fromEntries(changes), now());
    saved = next;
  };
  let saving: Promise<unknown> = Promise.resolve();
  return (state) => {
    // One save after the other, so that the latest state stays.
    const saved = saving.then(() => save(state));
    saving = saved.catch(() => undefined);
    return saved;
  };
}

/** A policy as it is stored, and as the database reads it. */
export function freshnessRecords(policy: FreshnessPolicy): ShopStateRow['freshness'] {
  return policy.map(({ youngerThanDays, targetMs }) => ({
    // The last rule is for every age: JSON has no number for infinity.
    younger_than_days: Number.isFinite(youngerThanDays) ? youngerThanDays : null,
    target_seconds: targetMs / 1000,
  }));
}

/** The initial state of a shop without any rows. */
export function firstState({ freshness }: { readonly freshness: FreshnessPolicy }): FirstState {
  return { freshness: freshnessRecords(freshness), normalizer_version: NORMALIZER_VERSION };
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** @returns the hours with more requests in the present one; hours before the last 24 are dropped */
export function addRequests(
  before: Memory['requests'],
  requests: number,
  now: Temporal.Instant,
): Memory['requests'] {
  if (requests === 0) return before;
  const hour = now.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const passed = before === undefined ? 0 : hour.since(before.hour).total('hours');
  // Counts of a fast clock belong to no hour and are dropped.
  const gap = Array.from({ length: Math.min(HOURS, Math.max(0, passed)) }, () => 0);
  const [current = 0, ...earlier] = passed < 0 ? [] : [...gap, ...(before?.counts ?? [])];
  return { hour, counts: [current + requests, ...earlier].slice(0, HOURS) };
}

/** Requests of the last 24 hours, the present one included. */
export function requestsOfLastDay(requests: Memory['requests'], now: Temporal.Instant): number {
  if (requests === undefined) return 0;
  const passed = Math.floor(now.epochMilliseconds / HOUR_MS) - requests.hour.epochMilliseconds / HOUR_MS;
  return requests.counts.slice(0, Math.max(0, HOURS - passed)).reduce((sum, count) => sum + count, 0);
}
