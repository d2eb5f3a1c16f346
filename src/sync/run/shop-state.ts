/** The state of a shop between runs: a run loads it once, changes it in memory, and saves it again. */
import type { Findings } from '../../model/alert-facts.ts';
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import type { CountsBefore } from '../../plan/counts/count-pace.ts';
import type { Audit } from '../../plan/days/audit-due.ts';
import type { FreshnessPolicy } from '../../plan/days/freshness.ts';
import { type PageProfile, unknownProfile } from '../../shop-api/paging/page-profile.ts';
import type { FirstState } from '../../warehouse/directory/registered-shops.ts';
import type {
  ShopStateChanges,
  ShopStateRow,
  StoredShopState,
} from '../../warehouse/ops/stored-shop-state.ts';
import { type ReplayState, toReplayState } from './replay-state.ts';
import { type Remembered, toRemembered } from './remembered.ts';
import { type ThrottleState, toThrottleState } from './throttle-state.ts';

export type ShopState = Remembered & {
  /** How the order list pages, as far as it is known. */
  profile: PageProfile;
  /** What the latest sweeps found wrong. */
  findings: Findings;
  /** How the shop was treated last. */
  throttle: ThrottleState | undefined;
  /** Requests per second of the last run that made enough to tell. */
  loadRps: number | undefined;
  /** Orders that the shop said it has, when it last listed all; undefined where it does not count them. */
  listedOrders: number | undefined;
  /** Until when the shop requested a pause. */
  pausedUntil: Temporal.Instant | undefined;
  /** The last complete reading of the list without dates. */
  audit: Audit | undefined;
  /** When the shop was last asked to count its orders, and of what. */
  counts: ShopCounts | undefined;
  /** How often it is asked to, by its settings and by how often sweeps come; 0: never. */
  countEveryMs: number;
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
  /** When old records were last removed. */
  prunedAt: Temporal.Instant | undefined;
  /** What its list rows were found to say of lines when orders were last marked by it, and when that was, by the database's clock. */
  lineRelations: readonly string[];
  lineRelationsAt: Temporal.Instant | undefined;
  /** Requests of the last 24 hours. */
  requests: RequestHours;
  /** Saved only with the batches of a replay. */
  replay: ReplayState;
  /** The setting that all stored rows comply with; null: persons are stored. Saved when that is so. */
  privacyPolicy: string | null;
};

/** A comparison of a shop's counts with the warehouse's. */
export type ShopCounts = NonNullable<CountsBefore> & {
  /** The last day that it covered. */
  readonly through: Temporal.PlainDate;
  /** Live orders that it covered. */
  readonly orders: number;
  /** Facets that were counted. */
  readonly facets: number;
};

/** Requests to a shop by hour, newest first: the first count is that of the hour that begins at `hour`. */
export type RequestHours = {
  readonly hour: Temporal.Instant | undefined;
  readonly counts: readonly number[];
};

export function toShopState({ due, row }: Pick<StoredShopState, 'due' | 'row'>): ShopState {
  const replay = due.find(({ kind }) => kind === 'replay');
  return {
    profile: toPageProfile(row),
    ...toRemembered(due),
    findings: row.findings,
    throttle: toThrottleState(row),
    loadRps: row.load_rps ?? undefined,
    listedOrders: row.listed_orders ?? undefined,
    pausedUntil: row.paused_until ?? undefined,
    audit: toAudit(row),
    counts: toCounts(row),
    countEveryMs: (row.count_every_seconds ?? 0) * 1_000,
    freshness: row.freshness.map(({ younger_than_days, target_seconds }) => ({
      youngerThanDays: younger_than_days ?? Number.POSITIVE_INFINITY,
      targetMs: Math.round(target_seconds * 1000),
    })),
    historyFrom: row.history_from ?? undefined,
    completedAt: row.completed_at ?? undefined,
    lookedAt: row.looked_at ?? undefined,
    okAt: row.ok_at ?? undefined,
    prunedAt: row.pruned_at ?? undefined,
    lineRelations: row.line_relations,
    lineRelationsAt: row.line_relations_at ?? undefined,
    requests: { hour: row.requests_hour ?? undefined, counts: row.requests_by_hour },
    replay: toReplayState(row, replay),
    privacyPolicy: row.privacy_policy,
  };
}

export function toPageProfile(row: ShopStateRow): PageProfile {
  return {
    limit: row.page_limit,
    pageRows: row.page_rows,
    isUneven: row.is_uneven,
    totalMeaning: row.total_meaning,
  };
}

export function toAudit({ audited_at, audit_orders, audit_total }: ShopStateRow): Audit | undefined {
  if (audited_at === null || audit_orders === null) return undefined;
  return { finishedAt: audited_at, orders: audit_orders, total: audit_total ?? undefined };
}

function toCounts(row: ShopStateRow): ShopCounts | undefined {
  const { counted_at, counted_through, counted_orders, counted_facets, count_requests_left } = row;
  if (counted_at === null || counted_through === null) return undefined;
  return {
    at: counted_at,
    through: counted_through,
    orders: counted_orders ?? 0,
    facets: counted_facets ?? 0,
    requestsLeft: count_requests_left ?? 0,
  };
}

/** The columns of a state, except those of replays and privacy. */
export function toColumns({ audit, counts, ...state }: ShopState): ShopStateChanges {
  return {
    ...profileColumns(state.profile),
    ...state.throttle,
    load_rps: state.loadRps ?? null,
    listed_orders: state.listedOrders ?? null,
    freshness: freshnessRecords(state.freshness),
    paused_until: state.pausedUntil ?? null,
    audited_at: audit?.finishedAt ?? null,
    audit_orders: audit?.orders ?? null,
    audit_total: audit?.total ?? null,
    history_from: state.historyFrom ?? null,
    counted_at: counts?.at ?? null,
    counted_through: counts?.through ?? null,
    counted_orders: counts?.orders ?? null,
    counted_facets: counts?.facets ?? null,
    count_requests_left: counts?.requestsLeft ?? null,
    count_every_seconds: state.countEveryMs / 1_000,
    completed_at: state.completedAt ?? null,
    looked_at: state.lookedAt ?? null,
    ok_at: state.okAt ?? null,
    pruned_at: state.prunedAt ?? null,
    findings: state.findings,
    line_relations: [...state.lineRelations],
    line_relations_at: state.lineRelationsAt ?? null,
    requests_hour: state.requests.hour ?? null,
    requests_by_hour: [...state.requests.counts],
  };
}

export function profileColumns(profile: PageProfile) {
  return {
    page_limit: profile.limit,
    page_rows: profile.pageRows,
    is_uneven: profile.isUneven,
    total_meaning: profile.totalMeaning,
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
export function firstState(shop: {
  readonly pageLimit: number;
  readonly freshness: FreshnessPolicy;
}): FirstState {
  const { page_limit } = profileColumns(unknownProfile(shop.pageLimit));
  return {
    page_limit,
    freshness: freshnessRecords(shop.freshness),
    normalizer_version: NORMALIZER_VERSION,
  };
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** @returns the hours with more requests in the present one; hours before the last 24 are dropped */
export function addRequests(
  { hour, counts }: RequestHours,
  requests: number,
  now: Temporal.Instant,
): RequestHours {
  if (requests === 0) return { hour, counts };
  const present = now.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const passed = hour === undefined ? 0 : present.since(hour).total('hours');
  // After a clock that ran ahead, what it counted belongs to no hour.
  const isAhead = passed < 0;
  const gap = Array.from({ length: Math.min(HOURS, Math.max(0, passed)) }, () => 0);
  const [current = 0, ...earlier] = isAhead ? [] : [...gap, ...counts];
  return { hour: present, counts: [current + requests, ...earlier].slice(0, HOURS) };
}

/** Requests of the last 24 hours, the present one included. */
export function requestsOfLastDay({ hour, counts }: RequestHours, now: Temporal.Instant): number {
  if (hour === undefined) return 0;
  const passed = Math.floor(now.epochMilliseconds / HOUR_MS) - hour.epochMilliseconds / HOUR_MS;
  return counts.slice(0, Math.max(0, HOURS - passed)).reduce((sum, count) => sum + count, 0);
}
