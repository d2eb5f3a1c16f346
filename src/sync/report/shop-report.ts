import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { plausiblePause } from '../../plan/clock-bounds.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { unknownProfile } from '../../shop-api/paging/page-profile.ts';
import { type ChangeAges, readChangeAges } from '../../warehouse/orders/change-ages.ts';
import { readUnclassifiedCodes, type UnclassifiedCode } from '../../warehouse/directory/status-codes.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { toIso } from '../../warehouse/db/instant.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import type { StoredRun } from '../../warehouse/ops/runs.ts';
import { readShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { listSyncedShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { readShopStatus, type ShopStatus } from '../../warehouse/reports/shop-status.ts';
import { heldClockWarning } from '../sweep/clock-warning.ts';
import { countDueDays } from './count-due-days.ts';
import { toShopState } from '../run/shop-state.ts';
import { type ThrottleState, throttleJson } from '../run/throttle-state.ts';
import { readLiveRuns } from './live-runs.ts';
import { computeSteadyCost } from './request-cost.ts';

export const RUNS_SHOWN = 5;
/** Page size to assume until the shop's own is known. */
export const USUAL_PAGE = 500;

/** How complete and fresh a shop's copy is, how the shop is throttled, and how its last runs went. */
export type ShopReport = {
  readonly shop: StoredShop;
  readonly status: ShopStatus;
  /** Days that are due to be verified; undefined for a shop that was never swept. */
  readonly daysDue: number | undefined;
  readonly ages: ChangeAges;
  /** List requests per hour that the freshness policy costs when nothing changes. */
  readonly steadyPerHour: number;
  readonly runs: readonly StoredRun[];
  /** When the latest sweep began, whether it found anything or not. */
  readonly lookedAt: Temporal.Instant | undefined;
  /** The oldest normalizer version that may have made a row of the shop. */
  readonly normalizer: number;
  /** The throttle state of the shop's last run. */
  readonly throttle: ThrottleState | undefined;
  /** End of the pause that the shop requested. */
  readonly pausedUntil: Temporal.Instant | undefined;
  /** Status codes that are not classified yet, the most used first. */
  readonly unclassified: readonly UnclassifiedCode[];
  /** Extra order fields that `bi` hides and the owner has not decided on. */
  readonly fieldsWaiting: number;
  /** A warning if the newest order shows that the time zone or a clock is wrong. */
  readonly clockWarning: string | undefined;
};

/** Reports on the registered shops that were not retired, by key. Queries only the database. */
export async function readShopReports(
  db: Db,
  findPolicy: (shopKey: string) => FreshnessPolicy,
  now: Temporal.Instant,
): Promise<readonly ShopReport[]> {
  const shops = await listSyncedShops(db);
  return Promise.all(shops.map((shop) => readShopReport(db, shop, findPolicy(shop.shopKey), now)));
}

async function readShopReport(
  db: Db,
  shop: StoredShop,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): Promise<ShopReport> {
  const { shopId, timezone } = shop;
  const row = await readShopState(db, shopId);
  const state = row && toShopState({ row, suspects: new Map(), findings: new Map() });
  const ledger = await readLedger(db, shopId);
  const profile = state?.profile ?? unknownProfile(USUAL_PAGE);
  return {
    shop,
    status: await readShopStatus(db, shopId),
    daysDue: countDueDays(ledger, timezone, policy, now),
    ages: await readChangeAges(db, shopId),
    steadyPerHour: computeSteadyCost(ledger, profile, timezone, policy, now),
    runs: await readLiveRuns(db, shopId, RUNS_SHOWN, now),
    lookedAt: state?.lookedAt,
    normalizer: state?.replay.version ?? NORMALIZER_VERSION,
    throttle: state?.throttle,
    pausedUntil: plausiblePause(state?.pausedUntil, now),
    clockWarning: await heldClockWarning(db, shopId, timezone, now),
    fieldsWaiting: state?.shownFields?.waiting ?? 0,
    unclassified: await readUnclassifiedCodes(db, shopId),
  };
}

/** A report as JSON. Keys are named after the tables' columns where there is one. */
export function reportJson(report: ShopReport) {
  const { shop, status, daysDue, ages, steadyPerHour, runs, normalizer } = report;
  return {
    shop: shop.shopKey,
    timezone: shop.timezone,
    is_complete: daysDue === 0,
    days_due: daysDue ?? null,
    ...status,
    newest_verified_at: toIso(status.newest_verified_at),
    steady_list_requests_per_hour: steadyPerHour,
    change_age_days: ages,
    normalizer_version: normalizer,
    is_replay_due: normalizer < NORMALIZER_VERSION,
    throttle: report.throttle ? throttleJson(report.throttle, report.pausedUntil) : null,
    unclassified_statuses: report.unclassified,
    order_fields_waiting: report.fieldsWaiting,
    clock_warning: report.clockWarning ?? null,
    looked_at: report.lookedAt?.toString() ?? null,
    runs: runs.map(runJson),
  };
}

function runJson({ shop_id: _shop, ...run }: StoredRun) {
  return {
    ...run,
    run_id: String(run.run_id),
    started_at: toIso(run.started_at),
    finished_at: toIso(run.finished_at),
  };
}
