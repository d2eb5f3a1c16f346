import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { plausiblePause } from '../../plan/clock-bounds.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { pageCapacity, unknownProfile } from '../../shop-api/paging/page-profile.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { listSyncedShops } from '../../warehouse/directory/registered-shops.ts';
import { listUnclassifiedCodes, type ShopCode } from '../../warehouse/directory/status-codes.ts';
import { readAllFigures, type ShopFigures } from '../../warehouse/ops/shop-figures.ts';
import { readShopStates } from '../../warehouse/ops/stored-shop-state.ts';
import { NO_CHANGES } from '../../warehouse/orders/change-ages.ts';
import { type LedgerSummary, readLedgerSummaries } from '../../warehouse/reports/ledger-summaries.ts';
import { readShopGauges } from '../../warehouse/reports/shop-gauges.ts';
import type { ShopStatus } from '../../warehouse/reports/shop-status.ts';
import { toShopState } from '../run/shop-state.ts';
import { readLiveRunsOfAll } from './live-runs.ts';
import { ledgerRules, sumDueDays, sumSteadyCost } from './ledger-figures.ts';
import { RUNS_SHOWN, type ShopReport, USUAL_PAGE } from './shop-report.ts';

/**
 * Reports on all registered shops, by key, from what their runs left behind: as many statements for a thousand shops as
 * for one. Orders and rejections are those at the end of the last run that did something, ages of changes up to a day
 * older; what time alone changes, such as days that are due, is as of now.
 *
 * @param only the key of the one shop to report on
 */
export async function readKeptReports(
  db: Db | Tx,
  findPolicy: (shopKey: string) => FreshnessPolicy,
  now: Temporal.Instant,
  only?: string,
): Promise<readonly ShopReport[]> {
  const shops = (await listSyncedShops(db)).filter(({ shopKey }) => only === undefined || shopKey === only);
  const rules = shops.flatMap(({ shopId, shopKey, timezone }) =>
    ledgerRules(shopId, timezone, findPolicy(shopKey), now),
  );
  const ledgers = await readLedgerSummaries(db, rules, now);
  const states = byShop(await readShopStates(db));
  const figures = byShop(await readAllFigures(db));
  const requests = new Map((await readShopGauges(db)).map((shop) => [shop.shopId, shop.requestsPerHour]));
  const runs = Map.groupBy(await readLiveRunsOfAll(db, RUNS_SHOWN, now), ({ shop_id }) => shop_id);
  const codes = Map.groupBy(await listUnclassifiedCodes(db), ({ shopId }) => shopId);
  return shops.map((shop) => {
    const { shopId, shopKey, timezone } = shop;
    const policy = findPolicy(shopKey);
    const [row, ledger, counted] = [states.get(shopId), ledgers.get(shopId), figures.get(shopId)];
    const state = row && toShopState({ row, suspects: new Map(), findings: new Map() });
    const profile = state?.profile ?? unknownProfile(USUAL_PAGE);
    return {
      shop,
      status: { ...keptStatus(ledger, counted), requests_per_hour: requests.get(shopId) ?? 0 },
      daysDue: sumDueDays(ledger, timezone, now),
      ages: counted?.change_ages ?? NO_CHANGES,
      steadyPerHour: sumSteadyCost(ledger, policy, pageCapacity(profile)),
      runs: runs.get(shopId) ?? [],
      lookedAt: state?.lookedAt,
      normalizer: state?.replay.version ?? NORMALIZER_VERSION,
      throttle: state?.throttle,
      pausedUntil: plausiblePause(state?.pausedUntil, now),
      clockWarning: state?.clockWarning,
      fieldsWaiting: state?.shownFields?.waiting ?? 0,
      unclassified: withOrders(codes.get(shopId) ?? [], counted),
    };
  });
}

const byShop = <Row extends { readonly shop_id: number }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.shop_id, row]));

function keptStatus(
  ledger: LedgerSummary | undefined,
  counted: ShopFigures | undefined,
): Omit<ShopStatus, 'requests_per_hour'> {
  return {
    first_day: ledger?.first_day ?? null,
    last_day: ledger?.last_day ?? null,
    complete_through: ledger?.complete_through ?? null,
    days_verified: ledger?.days_verified ?? 0,
    days_unverified: ledger?.days_unverified ?? 0,
    newest_verified_at: ledger?.newest_verified_at ?? null,
    orders: counted?.orders ?? 0,
    orders_missing: counted?.orders_missing ?? 0,
    orders_deleted: counted?.orders_deleted ?? 0,
    orders_without_lines: counted?.orders_without_lines ?? 0,
    open_rejections: counted?.open_rejections ?? 0,
  };
}

/** Codes that came, or were classified, since the orders were counted are new, or gone, at once. */
function withOrders(
  unclassified: readonly ShopCode[],
  counted: ShopFigures | undefined,
): ShopReport['unclassified'] {
  const known = new Map(counted?.unclassified?.map(({ kind, code, orders }) => [`${kind} ${code}`, orders]));
  return unclassified
    .map(({ kind, code }) => ({ kind, code, orders: known.get(`${kind} ${code}`) ?? 0 }))
    .toSorted(
      (a, b) =>
        b.orders - a.orders || (a.kind === b.kind ? compare(a.code, b.code) : compare(a.kind, b.kind)),
    );
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
