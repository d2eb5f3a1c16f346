/** The one report on shops: `order-sync status`, the status page and the metrics show it. */
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { judgeShop } from '../../plan/alerts/alert-causes.ts';
import { isPast, plausiblePause } from '../../plan/clock/clock-bounds.ts';
import { estimateLoad, listRequestsPerHour } from '../../plan/load/load-cost.ts';
import { findSurplus } from '../../plan/days/audit-due.ts';
import { countRequestsPerHour } from '../../plan/counts/count-pace.ts';
import { type FreshnessPolicy, freshnessTargetMs } from '../../plan/days/freshness.ts';
import { pageCapacity, unknownProfile } from '../../shop-api/paging/request-page.ts';
import { readAlertFacts } from '../../warehouse/reports/alert-facts.ts';
import { readKeptFigures, type ShopFigures } from '../../warehouse/reports/shop-figures.ts';
import { listKeptShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { listUnclassifiedCodes, type ShopCode } from '../../warehouse/directory/owner-codes.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { readLeaseHolders } from '../../warehouse/ops/lease.ts';
import { readLineFailures } from '../../warehouse/orders/due-lines.ts';
import { readSuspendedCounts, type SuspendedCount } from '../../warehouse/ops/due.ts';
import { readHiddenFields } from '../../warehouse/ops/payload-fields.ts';
import { readLastRuns, type StoredRun } from '../../warehouse/ops/runs.ts';
import { readShopStates } from '../../warehouse/ops/stored-shop-state.ts';
import { readLedgerSummaries } from '../../warehouse/reports/ledger-summaries.ts';
import { requestsOfLastDay, type ShopState, toShopState } from '../run/shop-state.ts';
import { expectedPace, throttleJson } from '../run/throttle-state.ts';

const RUNS_SHOWN = 5;
/** Page size to assume until the shop's own is known. */
const USUAL_PAGE = 500;

/** How complete and fresh a shop's copy is, how the shop is throttled, and how its last runs went. */
export type ShopReport = {
  readonly shop: StoredShop;
  /** The policy of its latest sweep: its days are measured by it. */
  readonly policy: FreshnessPolicy;
  readonly status: ShopStatusJson;
  /** When a sweep last verified every due day; if none has, when the shop was registered. */
  readonly completeSince: Temporal.Instant;
  readonly isLeased: boolean;
};

/** One shop's status, as `order-sync status --json` prints it, `/status.json` serves it and the page shows it. */
export type ShopStatusJson = ReturnType<typeof toStatus>;

/**
 * Reports on the registered shops that are not being deleted, by key. Queries only the database, by as many statements for a thousand
 * shops as for one: orders and rejections are those at the end of the last run that did something, or at its last minute.
 *
 * @param only the key of the one shop to report on
 */
export async function readShopReports(
  db: Db | Tx,
  now: Temporal.Instant,
  only?: string,
): Promise<readonly ShopReport[]> {
  const facts = await readFacts(db, now, only);
  return facts.map((shop) => toReport(shop, now));
}

type Facts = Awaited<ReturnType<typeof readFacts>>[number];

async function readFacts(db: Db | Tx, now: Temporal.Instant, only: string | undefined) {
  const shops = (await listKeptShops(db)).filter(({ shopKey }) => only === undefined || shopKey === only);
  const states = new Map((await readShopStates(db)).map((row) => [row.shop_id, toShopState(row)]));
  const ids = shops.map(({ shopId }) => shopId);
  const ledgers = await readLedgerSummaries(db, now);
  const figures = await readKeptFigures(db);
  const lastRuns = await readLastRuns(db, RUNS_SHOWN, only === undefined ? undefined : ids[0]);
  const runs = Map.groupBy(lastRuns, ({ shop_id }) => shop_id);
  const codes = Map.groupBy(await listUnclassifiedCodes(db), ({ shopId }) => shopId);
  const hidden = Map.groupBy(await readHiddenFields(db), ({ shopId }) => shopId);
  const failures = Map.groupBy(await readLineFailures(db, ids), (failure) => failure.shop_id);
  const suspended = Map.groupBy(await readSuspendedCounts(db, ids, now), ({ shop_id }) => shop_id);
  const leases = await readLeaseHolders(db, ids);
  const verdicts = Map.groupBy(await judgeShops(db, now, only), (verdict) => verdict.shopId);
  return shops.map((shop) => {
    const { shopId } = shop;
    return {
      shop,
      policy: states.get(shopId)?.freshness ?? [],
      state: states.get(shopId),
      ledger: ledgers.get(shopId),
      figures: figures.get(shopId),
      codes: codes.get(shopId) ?? [],
      hiddenFields: (hidden.get(shopId) ?? []).map(({ key }) => key),
      runs: runs.get(shopId) ?? [],
      lineFailures: failures.get(shopId) ?? [],
      suspended: suspended.get(shopId) ?? [],
      lease: leases.get(shopId),
      verdicts: verdicts.get(shopId) ?? [],
    };
  });
}

/**
 * Which causes of alerts hold for each shop that is synced, and which do not: what the webhook, the metrics and the
 * reports say is read from here alone. One statement for all shops.
 */
export async function judgeShops(db: Db | Tx, now: Temporal.Instant, only?: string) {
  const facts = await readAlertFacts(db, now, only);
  return facts.flatMap((shop) => {
    const { shopId, shopKey } = shop;
    return judgeShop(shop, now).map((verdict) => ({ ...verdict, shopId, shopKey }));
  });
}

function toReport(facts: Facts, now: Temporal.Instant): ShopReport {
  const { shop, policy, state, lease } = facts;
  const completedAt = state?.completedAt;
  return {
    shop,
    policy,
    status: toStatus(facts, now),
    completeSince: completedAt !== undefined && isPast(completedAt, now) ? completedAt : shop.registeredAt,
    isLeased: lease?.isExpired === false,
  };
}

/** Keys are named after the tables' columns where there is one. */
function toStatus(facts: Facts, now: Temporal.Instant) {
  const { shop, policy, state, ledger, figures, codes, lineFailures, runs } = facts;
  const normalizer = state?.normalizerVersion ?? NORMALIZER_VERSION;
  const pausedUntil = plausiblePause(state?.pausedUntil, now);
  const pageRows = pageCapacity(state?.profile ?? unknownProfile(USUAL_PAGE));
  const orders = countOrders(figures, runs);
  return {
    shop: shop.shopKey,
    timezone: shop.timezone,
    is_complete: ledger?.days_due === 0,
    is_loaded: state?.completedAt !== undefined,
    estimate: state ? estimateFirstLoad(state, orders, pageRows) : null,
    days_due: ledger?.days_due ?? null,
    first_day: ledger?.first_day ?? null,
    last_day: ledger?.last_day ?? null,
    complete_through: ledger?.complete_through ?? null,
    days_verified: ledger?.days_verified ?? 0,
    days_unverified: ledger?.days_unverified ?? 0,
    days_failed: ledger?.days_failed ?? 0,
    day_error: ledger?.day_error ?? null,
    retry_at: ledger?.retry_at?.toString() ?? null,
    newest_verified_at: pastIso(ledger?.newest_verified_at, now),
    newest_target_seconds: policy.length === 0 ? null : freshnessTargetMs(policy, 0) / 1000,
    orders,
    listed_orders: state?.listedOrders ?? null,
    orders_missing: ledger?.missing_orders ?? figures?.orders_missing ?? 0,
    confirmed_at: ledger?.confirmed_at?.toString() ?? null,
    orders_deleted: figures?.orders_deleted ?? 0,
    orders_without_lines: figures?.orders_without_lines ?? 0,
    orders_with_doubtful_lines: figures?.orders_with_doubtful_lines ?? 0,
    line_relations: state?.lineRelations ?? [],
    line_failures: lineFailures.map(({ reason, orders, order_ids }) => ({ reason, orders, order_ids })),
    open_rejections: figures?.open_rejections ?? 0,
    requests_last_day: state ? requestsOfLastDay(state.requests, now) : 0,
    steady_list_requests_per_hour: listRequestsPerHour(ledger?.rules ?? [], pageRows),
    normalizer_version: normalizer,
    is_replay_due: normalizer < NORMALIZER_VERSION,
    throttle: state?.throttle ? throttleJson(state.throttle, pausedUntil) : null,
    unclassified_statuses: countCodes(codes, figures),
    hidden_order_fields: facts.hiddenFields,
    counts: state?.counts ? countsJson(state, state.counts, facts.suspended) : null,
    compared: state?.compared ? comparedJson(state.compared) : null,
    clock_warning: state?.findings.clock ?? null,
    paused_at: shop.pausedAt?.toString() ?? null,
    looked_at: pastIso(state?.lookedAt, now),
    alerts: alertsJson(facts.verdicts),
    runs: runs.map(runJson),
  };
}

function alertsJson(verdicts: Facts['verdicts']) {
  return verdicts.flatMap(({ cause, finding }) =>
    finding === undefined ? [] : { cause, text: `The shop ${finding}.` },
  );
}

/** Null for a time in the future, which a fast clock wrote. */
function pastIso(written: Temporal.Instant | null | undefined, now: Temporal.Instant): string | null {
  return written && isPast(written, now) ? written.toString() : null;
}

/** Runs that may have loaded orders that are not counted yet: a long one counts once a minute, and a stopped one does not count at its end. */
const UNCOUNTED: ReadonlySet<StoredRun['status']> = new Set(['running', 'interrupted', 'abandoned']);

/** The orders at the last count; or what the runs since have loaded themselves, if that is more. */
function countOrders(figures: ShopFigures | undefined, runs: readonly StoredRun[]): number {
  const counted = runs.findIndex(({ status }) => !UNCOUNTED.has(status));
  const since = counted < 0 ? runs : runs.slice(0, counted);
  return Math.max(
    figures?.orders ?? 0,
    since.reduce((sum, { orders_new }) => sum + orders_new, 0),
  );
}

/** What is left of the first load, at the pace that it has reached; null when it is over, or the shop does not count its orders. */
function estimateFirstLoad(state: ShopState, stored: number, pageRows: number) {
  const { completedAt, listedOrders, throttle } = state;
  if (completedAt !== undefined || listedOrders === undefined || throttle === undefined) return null;
  const orders = Math.max(0, listedOrders - findSurplus(state.audit) - stored);
  const requestsPerSecond = expectedPace(throttle, state.loadRps);
  return { orders, ...estimateLoad({ orders, pageRows, requestsPerSecond }) };
}

function runJson({ shop_id: _shop, ...run }: StoredRun) {
  return {
    ...run,
    run_id: String(run.run_id),
    started_at: run.started_at.toString(),
    finished_at: run.finished_at?.toString() ?? null,
  };
}

/** What the shop was last asked to count, and which counts are suspended because they were wrong. */
function countsJson(
  { countEveryMs, profile, throttle }: ShopState,
  { at, through, orders, facets }: NonNullable<ShopState['counts']>,
  suspended: readonly SuspendedCount[],
) {
  // No other total is of use.
  const asked = profile.totalMeaning === 'matches' ? facets : 0;
  const pace = throttle?.found_rps ?? throttle?.max_rps ?? Number.POSITIVE_INFINITY;
  return {
    at: at.toString(),
    through: through.toString(),
    orders,
    facets,
    requests_per_hour: countRequestsPerHour(asked, countEveryMs, pace),
    suspended: suspendedJson(suspended),
  };
}

const comparedJson = ({ at, differing }: NonNullable<ShopState['compared']>) => ({
  at: at.toString(),
  orders_differing: differing,
});

/** What is not asked for now, since it was wrong. */
export function suspendedJson(suspended: readonly SuspendedCount[]) {
  return suspended.map(({ facet, reason, until }) => ({ facet, reason, until: until.toString() }));
}

/** Codes that came, or were classified, since the orders were counted are new, and not counted, or gone, at once. */
function countCodes(unclassified: readonly ShopCode[], figures: ShopFigures | undefined) {
  const known = new Map(figures?.unclassified?.map(({ kind, code, orders }) => [`${kind} ${code}`, orders]));
  return unclassified
    .map(({ kind, code }) => ({ kind, code, orders: known.get(`${kind} ${code}`) ?? null }))
    .toSorted(
      (a, b) => (b.orders ?? 0) - (a.orders ?? 0) || compare(a.kind, b.kind) || compare(a.code, b.code),
    );
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
