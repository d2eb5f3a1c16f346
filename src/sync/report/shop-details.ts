import type { LedgerDay } from '../../model/ledger-day.ts';
import { type Calendar, buildCalendar } from '../../plan/days/calendar.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import { listRejections, type RejectionGroup } from '../../warehouse/ops/rejections.ts';
import { readLastRuns, type StoredRun } from '../../warehouse/ops/runs.ts';
import { readDailyOrders } from '../../warehouse/reports/shop-figures.ts';
import { freshnessRecords } from '../run/shop-state.ts';
import { readShopReports, type ShopReport } from './shop-report.ts';

const RUNS_SHOWN = 20;
const FAILED_SHOWN = 20;

type RejectionCount = Pick<RejectionGroup, 'resource' | 'field' | 'reason' | 'open' | 'last_seen_at'>;

/** Everything that one shop's page shows. Holds no personal data. */
export type ShopDetails = {
  readonly report: ShopReport;
  readonly asOf: Temporal.Instant;
  /** Undefined for a shop of which no day or order was ever read. */
  readonly calendar: Calendar | undefined;
  /** For each day of the calendar. */
  readonly ordersByDay: readonly number[];
  /** Without samples, which may name a person. */
  readonly rejections: readonly RejectionCount[];
  /** Days that could not be verified, newest first, and why: at most twenty. */
  readonly failedDays: readonly { readonly day: string; readonly error: string }[];
  readonly runs: readonly StoredRun[];
};

/**
 * Reads what is known of one shop: as many statements however many shops there are, and all but the sums of its days by
 * the shop's own index.
 */
export async function readShopDetails(
  db: Db | Tx,
  shopKey: string,
  now: Temporal.Instant,
): Promise<ShopDetails | undefined> {
  const [report] = await readShopReports(db, now, shopKey);
  if (report === undefined) return undefined;
  const { policy, shop } = report;
  const { shopId, timezone } = shop;
  const ledger = await readLedger(db, shopId, now, freshnessRecords(policy));
  const figures = await readDailyOrders(db, shopId);
  // During a first load, orders are there before their days are in the ledger.
  const since = figures[0] && Temporal.PlainDate.from(figures[0].day);
  const calendar =
    figures.length + ledger.filter(isRead).length === 0
      ? undefined
      : buildCalendar(ledger, since, now.toZonedDateTimeISO(timezone).toPlainDate());
  const rejections = await listRejections(db, [shopId], false);
  return {
    report,
    asOf: now,
    calendar,
    ordersByDay: toSeries(calendar, figures),
    rejections: rejections.map(toCount),
    failedDays: failedDays(ledger).slice(0, FAILED_SHOWN),
    runs: await readLastRuns(db, RUNS_SHOWN, shopId),
  };
}

/** Orders dated after today, or long before there were shops, have no day of it. */
function toSeries(calendar: Calendar | undefined, figures: Awaited<ReturnType<typeof readDailyOrders>>) {
  const orders = new Map(figures.map((figure) => [figure.day, figure.orders]));
  return (calendar?.states ?? []).map((_, index) => {
    return orders.get(calendar?.firstDay.add({ days: index }).toString() ?? '') ?? 0;
  });
}

const failedDays = (ledger: readonly LedgerDay[]): ShopDetails['failedDays'] =>
  ledger.toReversed().flatMap(({ day, failure, verifiedAt }) => {
    return failure === undefined || verifiedAt !== undefined
      ? []
      : { day: day.toString(), error: failure.reason };
  });

const isRead = ({ failure, verifiedAt }: LedgerDay) => (failure ?? verifiedAt) !== undefined;

function toCount({ resource, field, reason, open, last_seen_at }: RejectionGroup): RejectionCount {
  return { resource, field, reason, open, last_seen_at };
}
