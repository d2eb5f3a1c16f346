import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { believedPause } from '../../plan/clock-bounds.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { type ChangeAges, readChangeAges } from '../../warehouse/orders/change-ages.ts';
import { readUnclassifiedCodes, type UnclassifiedCode } from '../../warehouse/directory/status-codes.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { lastRuns, type StoredRun } from '../../warehouse/ops/runs.ts';
import { listShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { readShopStatus, type ShopStatus } from '../../warehouse/reports/shop-status.ts';
import { heldClockWarning } from '../sweep/clock-warning.ts';
import { countDueDays } from './count-due-days.ts';
import { type Politeness, readPoliteness } from '../run/throttle-state.ts';
import { readReplayState } from '../run/replay-state.ts';
import { readSteadyCost } from './request-cost.ts';

const RUNS_SHOWN = 5;

/** How complete and fresh the copy of a shop is, how the shop is treated, and how its last runs went. */
export type ShopReport = {
  readonly shop: StoredShop;
  readonly status: ShopStatus;
  /** Days that are due to be verified; undefined for a shop that was never swept. */
  readonly daysDue: number | undefined;
  readonly ages: ChangeAges;
  /** List requests per hour that the freshness policy costs when nothing changes. */
  readonly steadyPerHour: number;
  readonly runs: readonly StoredRun[];
  /** The earliest version of the normalizers that any row may have been made by. */
  readonly normalizer: number;
  /** How the shop was treated last. */
  readonly politeness: Politeness | undefined;
  /** Status codes that somebody has yet to classify, the most used first. */
  readonly unclassified: readonly UnclassifiedCode[];
  /** What the newest order says of the zone or a clock, where that is wrong. */
  readonly clockWarning: string | undefined;
};

/** Reports on the registered shops, by key. Asks the database alone. */
export async function readShopReports(
  db: Db,
  policyOf: (shopKey: string) => FreshnessPolicy,
  now: Temporal.Instant,
): Promise<readonly ShopReport[]> {
  const shops = await listShops(db);
  return Promise.all(
    shops.map(async (shop) => {
      const { shopId, shopKey, timezone } = shop;
      const policy = policyOf(shopKey);
      return {
        shop,
        status: await readShopStatus(db, shopId),
        daysDue: await countDueDays(db, shopId, timezone, policy, now),
        ages: await readChangeAges(db, shopId),
        steadyPerHour: await readSteadyCost(db, shopId, timezone, policy, now),
        runs: await lastRuns(db, shopId, RUNS_SHOWN),
        normalizer: (await readReplayState(db, shopId)).version,
        politeness: believed(await readPoliteness(db, shopId), now),
        clockWarning: await heldClockWarning(db, shopId, timezone, now),
        unclassified: await readUnclassifiedCodes(db, shopId),
      };
    }),
  );
}

function believed(politeness: Politeness | undefined, now: Temporal.Instant): Politeness | undefined {
  return politeness && { ...politeness, comeBackAt: believedPause(politeness.comeBackAt, now) };
}

/** A report for machines. The names are those of the tables' columns where there are such. */
export function reportJson(report: ShopReport) {
  const { shop, status, daysDue, ages, steadyPerHour, runs, normalizer, politeness } = report;
  return {
    shop: shop.shopKey,
    timezone: shop.timezone,
    is_complete: daysDue === 0,
    days_due: daysDue ?? null,
    ...status,
    steady_list_requests_per_hour: steadyPerHour,
    change_age_days: ages,
    normalizer_version: normalizer,
    is_replay_due: normalizer < NORMALIZER_VERSION,
    politeness: politenessJson(politeness),
    unclassified_statuses: report.unclassified,
    clock_warning: report.clockWarning ?? null,
    runs: runs.map((run) => ({ ...run, run_id: String(run.run_id) })),
  };
}

function politenessJson(politeness: Politeness | undefined) {
  if (politeness === undefined) return null;
  const { concurrency, lowestConcurrency, maxConcurrency, maxRps, circuit, comeBackAt } = politeness;
  return {
    concurrency,
    lowest_concurrency: lowestConcurrency,
    max_concurrency: maxConcurrency,
    max_rps: maxRps,
    circuit,
    come_back_at: comeBackAt?.toString() ?? null,
  };
}
