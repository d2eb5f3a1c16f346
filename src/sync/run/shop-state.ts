/** The state of a shop between runs: a run loads it once, changes it in memory, and saves it again. */
import { z } from 'zod';

import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import type { Audit } from '../../plan/audit-due.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { type PageProfile, unknownProfile } from '../../shop-api/paging/page-profile.ts';
import { parseInstant } from '../../warehouse/db/instant.ts';
import type { FirstState } from '../../warehouse/directory/registered-shops.ts';
import type {
  ShopStateChanges,
  ShopStateRow,
  StoredShopState,
} from '../../warehouse/ops/stored-shop-state.ts';
import { type ScrubState, toScrubState } from '../privacy/scrub-state.ts';
import type { RequestHours } from './request-hours.ts';
import { type ReplayState, toReplayState } from './replay-state.ts';
import { throttleColumns, type ThrottleState, toThrottleState } from './throttle-state.ts';

export type ShopState = {
  /** How the order list pages, as far as it is known. */
  profile: PageProfile;
  /** Unlisted orders that are not known to be gone, and since when, by the database's clock. */
  readonly suspects: Map<string, Temporal.Instant>;
  /** What earlier sweeps found wrong: a sentence for each cause. Saved apart, when a sweep ends. */
  readonly earlierFindings: ReadonlyMap<string, string>;
  /** How the shop was treated last. */
  throttle: ThrottleState | undefined;
  /** Until when the shop requested a pause. */
  pausedUntil: Temporal.Instant | undefined;
  /** The last complete reading of the list without dates. */
  audit: Audit | undefined;
  /** The policy of the last sweep; the views of `bi` use it. */
  freshness: FreshnessPolicy;
  /** When a sweep last had verified every due day. */
  completedAt: Temporal.Instant | undefined;
  /** When the latest sweep began. */
  lookedAt: Temporal.Instant | undefined;
  /** When a sweep last ended without any problem. */
  okAt: Temporal.Instant | undefined;
  /** When old records were last removed. */
  prunedAt: Temporal.Instant | undefined;
  /** Why the zone or a clock may be wrong, as of the last sweep. */
  clockWarning: string | undefined;
  /** Requests of the last 24 hours. */
  requests: RequestHours;
  /** The last decision on which extra order fields `bi` shows; `waiting`: fields that the owner should decide on. */
  shownFields: ShownFields | undefined;
  /** Saved only with the batches of a replay. */
  replay: ReplayState;
  /** Saved only with the batches of a removal. */
  scrub: ScrubState;
};

type ShownFields = {
  readonly countedAt: Temporal.Instant;
  readonly minPeers: number;
  readonly waiting: number;
};

const totalMeaning = z.enum(['unknown', 'matches', 'other']).catch('unknown');

export function toShopState({
  findings,
  row,
  suspects,
}: Pick<StoredShopState, 'findings' | 'row' | 'suspects'>): ShopState {
  return {
    profile: toPageProfile(row),
    suspects: new Map(suspects),
    earlierFindings: findings,
    throttle: toThrottleState(row),
    pausedUntil: parseInstant(row.paused_until),
    audit: toAudit(row),
    freshness: row.freshness.map(({ younger_than_days, target_seconds }) => ({
      youngerThanDays: younger_than_days ?? Number.POSITIVE_INFINITY,
      targetMs: target_seconds * 1000,
    })),
    completedAt: parseInstant(row.completed_at),
    lookedAt: parseInstant(row.looked_at),
    okAt: parseInstant(row.ok_at),
    prunedAt: parseInstant(row.pruned_at),
    clockWarning: row.clock_warning ?? undefined,
    requests: { hour: parseInstant(row.requests_hour), counts: row.requests_by_hour },
    shownFields: toShownFields(row),
    replay: toReplayState(row),
    scrub: toScrubState(row),
  };
}

export function toPageProfile(row: ShopStateRow): PageProfile {
  return {
    limit: row.page_limit,
    pageRows: row.page_rows,
    isUneven: row.is_uneven,
    totalMeaning: totalMeaning.parse(row.total_meaning),
    wantsBothDates: row.wants_both_dates,
  };
}

function toAudit({ audited_at, audit_orders, audit_total, audit_live }: ShopStateRow): Audit | undefined {
  if (audited_at === null || audit_orders === null) return undefined;
  const [total, live] = [audit_total ?? undefined, audit_live ?? undefined];
  return { finishedAt: parseInstant(audited_at), orders: audit_orders, total, live };
}

function toShownFields(row: ShopStateRow): ShownFields | undefined {
  const { fields_counted_at, fields_min_peers: minPeers, fields_waiting: waiting } = row;
  if (fields_counted_at === null || minPeers === null || waiting === null) return undefined;
  return { countedAt: parseInstant(fields_counted_at), minPeers, waiting };
}

/** The columns of a state, except those of replays and removals. */
export function toColumns({ audit, shownFields, ...state }: ShopState): ShopStateChanges {
  return {
    ...profileColumns(state.profile),
    ...throttleColumns(state.throttle),
    freshness: freshnessRecords(state.freshness),
    paused_until: state.pausedUntil?.toString() ?? null,
    audited_at: audit?.finishedAt.toString() ?? null,
    audit_orders: audit?.orders ?? null,
    audit_total: audit?.total ?? null,
    audit_live: audit?.live ?? null,
    completed_at: state.completedAt?.toString() ?? null,
    looked_at: state.lookedAt?.toString() ?? null,
    ok_at: state.okAt?.toString() ?? null,
    pruned_at: state.prunedAt?.toString() ?? null,
    clock_warning: state.clockWarning ?? null,
    requests_hour: state.requests.hour?.toString() ?? null,
    requests_by_hour: [...state.requests.counts],
    fields_counted_at: shownFields?.countedAt.toString() ?? null,
    fields_min_peers: shownFields?.minPeers ?? null,
    fields_waiting: shownFields?.waiting ?? null,
  };
}

export function profileColumns(profile: PageProfile) {
  return {
    page_limit: profile.limit,
    page_rows: profile.pageRows,
    is_uneven: profile.isUneven,
    total_meaning: profile.totalMeaning,
    wants_both_dates: profile.wantsBothDates,
  };
}

function freshnessRecords(policy: FreshnessPolicy): ShopStateRow['freshness'] {
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
