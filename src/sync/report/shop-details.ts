import type { LedgerDay } from '../../ledger-day.ts';
import { type Calendar, buildCalendar, dayNumber } from '../../plan/days/calendar.ts';
import type { FreshnessPolicy } from '../../plan/days/freshness.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import { listRejections, type RejectionGroup } from '../../warehouse/ops/rejections.ts';
import type { StoredRun } from '../../warehouse/ops/runs.ts';
import { type DailyFigure, readDailyFigures, readFailedDays } from '../../warehouse/reports/shop-figures.ts';
import { readLiveRuns } from './live-runs.ts';
import { readShopReports, type ShopReport } from './shop-report.ts';

const RUNS_SHOWN = 20;
const FAILED_SHOWN = 20;

/** Orders and sales of each day of a calendar. */
export type DailySeries = {
  /** Of every stage and currency. */
  readonly orders: readonly number[];
  /** The currency with the most orders first; of those that are rare and no code, there are none. */
  readonly sales: readonly { readonly currency: string | null; readonly revenue: readonly number[] }[];
};

type RejectionCount = Pick<RejectionGroup, 'resource' | 'field' | 'reason' | 'open' | 'last_seen_at'>;

/** Everything that one shop's page shows. Holds no personal data. */
export type ShopDetails = {
  readonly report: ShopReport;
  readonly asOf: Temporal.Instant;
  /** Undefined for a shop of which no day or order was ever read. */
  readonly calendar: Calendar | undefined;
  readonly daily: DailySeries;
  /** Without samples, which may name a person. */
  readonly rejections: readonly RejectionCount[];
  /** Days that could not be verified, newest first, and why: at most twenty. */
  readonly failedDays: readonly { readonly day: string; readonly attempts: number; readonly error: string }[];
  readonly runs: readonly StoredRun[];
};

/**
 * Reads what is known of one shop: as many statements however many shops there are, and all but the sums of its days by
 * the shop's own index.
 */
export async function readShopDetails(
  db: Db | Tx,
  shopKey: string,
  findPolicy: (shopKey: string) => FreshnessPolicy | undefined,
  now: Temporal.Instant,
): Promise<ShopDetails | undefined> {
  const [report] = await readShopReports(db, findPolicy, now, { only: shopKey });
  if (report === undefined) return undefined;
  const { policy, shop } = report;
  const { shopId, timezone } = shop;
  const ledger = await readLedger(db, shopId);
  const figures = await readDailyFigures(db, shopId);
  // During a first load, orders are there before their days are in the ledger.
  const since = figures[0] && Temporal.PlainDate.from(figures[0].day);
  const calendar =
    figures.length + ledger.filter(isRead).length === 0
      ? undefined
      : buildCalendar(ledger, since, policy, now, timezone);
  const rejections = await listRejections(db, [shopId], false);
  return {
    report,
    asOf: now,
    calendar,
    daily: toSeries(calendar, figures),
    rejections: rejections.map(toCount),
    failedDays: await readFailedDays(db, shopId, FAILED_SHOWN),
    runs: await readLiveRuns(db, RUNS_SHOWN, now, shopId),
  };
}

const isRead = ({ failure, verifiedAt }: LedgerDay) => (failure ?? verifiedAt) !== undefined;

function toCount({ resource, field, reason, open, last_seen_at }: RejectionGroup): RejectionCount {
  return { resource, field, reason, open, last_seen_at };
}

const CODES = new Set(Intl.supportedValuesOf('currency'));
const MAX_CURRENCY_LENGTH = 5;
const MIN_CURRENCY_DAYS = 20;

/** A shop may send any text as a currency, and a person in it: what is no code or sign has to be short and usual. */
function findCurrencies(figures: readonly DailyFigure[]): ReadonlySet<string | null> {
  const byCurrency = [...Map.groupBy(figures, ({ currency }) => currency)];
  const known = byCurrency.filter(([currency, days]) => {
    if (currency === null || CODES.has(currency.toUpperCase()) || /^\p{Sc}$/u.test(currency)) return true;
    return currency.length <= MAX_CURRENCY_LENGTH && days.length >= MIN_CURRENCY_DAYS;
  });
  return new Set(known.map(([currency]) => currency));
}

function toSeries(calendar: Calendar | undefined, figures: readonly DailyFigure[]): DailySeries {
  if (calendar === undefined) return { orders: [], sales: [] };
  const first = dayNumber(calendar.firstDay);
  const zeros = () => calendar.states.map(() => 0);
  const orders = zeros();
  const shown = findCurrencies(figures);
  const sales = new Map<string | null, { revenue: number[]; count: number }>();
  for (const { day, currency, orders: count, revenue } of figures) {
    const index = dayNumber(Temporal.PlainDate.from(day)) - first;
    const before = orders[index];
    // Orders dated after today, or long before there were shops.
    if (before === undefined) continue;
    orders[index] = before + count;
    if (!shown.has(currency)) continue;
    const own = sales.get(currency) ?? { revenue: zeros(), count: 0 };
    own.revenue[index] = revenue;
    sales.set(currency, { revenue: own.revenue, count: own.count + count });
  }
  const byUse = [...sales].toSorted(([, one], [, other]) => other.count - one.count);
  return { orders, sales: byUse.map(([currency, { revenue }]) => ({ currency, revenue })) };
}
