import { counted } from '../../model/amount-text.ts';
import { decimalUnits } from '../../model/decimal.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { missingOrder } from '../../model/missing-orders.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { ListRow, OrdersPage } from '../../shop-api/endpoints/list-orders.ts';
import { type ListEnd, readShopList } from '../../shop-api/paging/read-shop-list.ts';
import { readOpenOrders } from '../../warehouse/reports/shop-figures.ts';
import { clearFingerprints } from '../../warehouse/orders/compare-orders.ts';
import { hurryDue } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import { makeDue, readLedger } from '../../warehouse/ops/ledger.ts';
import {
  compareMonths,
  type CountedDays,
  countLiveOrders,
  countOutsideLedger,
  type CurrencyComparison,
  type ListedMonth,
  type MonthComparison,
  readUnlisted,
} from '../../warehouse/orders/live-orders.ts';
import type { OrderRow } from '../../warehouse/schema/orders.ts';
import { describeMalformed, unidentifiedReason } from '../ask/find-listed.ts';
import { comparePage, createSweepExpectation, ofListed, type OrderDifference } from './compare-page.ts';
import type { Ports, Run, RunOutcome, ShopContext } from '../run/context.ts';
import { runShop } from '../run/run-shop.ts';
import { freshnessRecords } from '../run/shop-state.ts';
import { assertNotFuture } from '../run/shop-day.ts';

export type VerifyRequest = {
  /** First and last day to compare; without both, all orders are, including those without a date. */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Make the days that differ due, so that the next sweep fixes them. */
  readonly makeDue: boolean;
  /** Read the contents of the orders, too, and compare their lines. @default false */
  readonly lines?: boolean;
};

type Verified = {
  /** First and last day that was compared; null: the first and the last that there is. */
  readonly from: string | null;
  readonly to: string | null;
  /** Neither an order differs nor a month. */
  readonly is_equal: boolean;
  readonly months: readonly MonthComparison[];
  readonly currencies: readonly CurrencyComparison[];
  readonly differences: readonly OrderDifference[];
  /** Orders that belong to no verified day, and how many of them have no date. */
  readonly orders_outside_verified_days: number;
  readonly orders_without_date: number;
  /** Orders whose doubtful lines the next sweep fetches again. */
  readonly orders_with_doubtful_lines: number;
};

type Outcome = RunOutcome<Verified>;

/** How far a comparison is: orders of the list that were read, and orders that the warehouse holds. */
export type VerifyProgress = { readonly orders_read: number; readonly orders_total: number };
type Watch = (read: () => VerifyProgress) => void;

/** What `--json` prints of a comparison, but for its repair. */
export type VerifyResult = Outcome &
  Pick<RunCounts, 'list_requests' | 'content_requests'> & { readonly shop: string; readonly error: null };

/**
 * Reads the shop's whole list again, without date filters, and compares it with the warehouse: count and sum per month
 * and currency, fingerprint and columns per order. Writes no orders.
 *
 * @throws UsageError for a first day in the future, before any run begins; otherwise as {@link runShop}
 */
export async function verifyShop(
  context: ShopContext,
  request: VerifyRequest,
  watch: Watch = () => undefined,
): Promise<VerifyResult> {
  if (request.from) assertNotFuture(context, request.from);
  const ended = await runShop(context, 'verify', (run) => verify(run, request, watch));
  const { status, counts, seconds: _took, ...verified } = ended;
  const { list_requests, content_requests } = counts;
  return { shop: context.shop.shopKey, status, error: null, ...verified, list_requests, content_requests };
}

async function verify({ ports, state }: Run, request: VerifyRequest, watch: Watch): Promise<Outcome> {
  const { db, lease, shop } = ports;
  const { problems } = state;
  const days = { from: request.from ?? shop.historyFrom, to: request.to };
  const ledger = await readLedger(db, lease.shopId, ports.now(), freshnessRecords(shop.freshness));
  const isSweepDue = createSweepExpectation(ledger, shop.timezone);
  const columns = state.normalizerVersion >= NORMALIZER_VERSION;
  if (request.lines === true && !columns) problems.push(afterReplay('lines'));
  const compares = { columns, lines: columns && request.lines === true };
  const [listed, found] = [new Map<string, ListedMonth>(), new Map<string, OrderDifference>()];
  const seen: SeenOrders = new Map();
  const elsewhere: OrdersElsewhere = new Map();
  let unread = 0;
  const paging = { ...ports, book: state, readCreated: ({ raw }: ListRow) => createdMinute(raw, shop) };
  const stored = await countLiveOrders(db, lease.shopId);
  watch(() => ({ orders_read: seen.size + elsewhere.size, orders_total: stored }));
  const end = await readShopList(paging, stored, async (page) => {
    const rows = takeInRange(page.rows, days, shop, elsewhere);
    const reasons = findUnidentified(page.malformed, rows, days, seen, shop);
    problems.push(...reasons.filter((reason) => !problems.includes(reason)));
    const fresh = rows.filter(({ orderId }) => !seen.has(orderId));
    for (const row of fresh) seen.set(row.orderId, placedAt(row, shop));
    const compared = await comparePage(ports, fresh, compares, isSweepDue);
    for (const row of compared.rows) addRow(listed, row);
    for (const difference of compared.differences) found.set(difference.order_id, difference);
    state.counters.orders_seen += fresh.length;
    unread += compared.unread;
  });
  if (end.problem !== undefined) {
    problems.push(`the order list could not be read to the end: ${end.problem}`);
  }
  if (unread > 0) problems.push(`the lines of ${counted(unread, 'order')} could not be read`);
  // Only a list that was read to the end shows which orders it lacks, and what the months come to.
  const isWhole = end.problem === undefined;
  const unlisted = isWhole ? await findUnlisted(ports, end, elsewhere, days, isSweepDue) : [];
  for (const difference of unlisted) found.set(difference.order_id, difference);
  const sums = isWhole
    ? await compareMonths(db, lease.shopId, days, [...listed.values()])
    : { months: [], currencies: [] };
  const isSameSums = sums.months.every((month) => month.is_equal);
  // An older version may have read the same orders otherwise.
  if (!columns && !isSameSums) problems.push(afterReplay('sums'));
  const differences = [...found.values()];
  // First, since the days that differ are not verified any more once they are due.
  const { orders, undated } = await countOutsideLedger(db, lease.shopId);
  const doubtful = request.makeDue ? await makeDifferencesDue(ports, differences) : 0;
  const differing = request.makeDue ? 0 : differingOf(differences).length;
  if (differing > 0 || problems.length === 0) state.compared = { at: ports.now(), differing };
  return {
    status: problems.length === 0 ? 'ok' : 'partial',
    problems,
    from: days.from?.toString() ?? null,
    to: days.to?.toString() ?? null,
    is_equal: differences.length === 0 && isSameSums,
    ...sums,
    differences,
    orders_outside_verified_days: orders,
    orders_without_date: undated,
    orders_with_doubtful_lines: doubtful,
  };
}

/** Those that no sweep is to see to anyway. */
export const differingOf = (differences: readonly OrderDifference[]) =>
  differences.filter((each) => !each.is_sweep_due);

/** When listed orders of other days were placed, by id: the warehouse may have them on a day of the range. */
type OrdersElsewhere = Map<string, Temporal.PlainDateTime | undefined>;

/** @returns the rows of the days of the range; when the others were placed is kept in `elsewhere` */
function takeInRange(
  rows: readonly ListRow[],
  days: CountedDays,
  shop: ShopZone,
  elsewhere: OrdersElsewhere,
) {
  return rows.filter(({ orderId, raw }) => {
    const isOfDays = isInRange(raw, days, shop);
    if (isOfDays) elsewhere.delete(orderId);
    else elsewhere.set(orderId, createdMinute(raw, shop));
    return isOfDays;
  });
}

/** Orders that the warehouse has on days of the range, and the list does not. */
async function findUnlisted(
  { db, lease }: Pick<Ports, 'db' | 'lease'>,
  { ids, isDated }: ListEnd,
  elsewhere: OrdersElsewhere,
  days: CountedDays,
  isSweepDue: ReturnType<typeof createSweepExpectation>,
): Promise<readonly OrderDifference[]> {
  const unlisted = await readUnlisted(db, lease.shopId, ids.difference(elsewhere), days);
  return unlisted.flatMap(({ day, missingSince, orderId }): OrderDifference[] => {
    if (day === null && isDated) return [];
    if (elsewhere.has(orderId)) return [ofListed(orderId, 'differs', elsewhere.get(orderId), isSweepDue)];
    const confirmed_at = missingOrder(missingSince)?.confirmedAt.toString() ?? null;
    const is_sweep_due = confirmed_at !== null || isSweepDue({ day, created: undefined });
    return [{ order_id: orderId, day, kind: 'not in the shop', is_sweep_due, confirmed_at }];
  });
}

const afterReplay = (what: string) => `${what} are compared only after a replay, which is due`;

/** When the orders of earlier pages were placed, by id; undefined where that cannot be read. */
type SeenOrders = Map<string, number | undefined>;

function placedAt({ raw }: ListRow, shop: ShopZone): number | undefined {
  return createdMinute(raw, shop)?.toZonedDateTime('UTC').epochMilliseconds;
}

/** Why orders of a page cannot be compared: their ids are not unique. @param rows the compared ones */
function findUnidentified(
  malformed: OrdersPage['malformed'],
  rows: readonly ListRow[],
  days: CountedDays,
  seen: SeenOrders,
  shop: ShopZone,
): readonly string[] {
  const inRange = malformed.filter((raw) => isInRange(isJsonObject(raw) ? raw : {}, days, shop));
  const shared = rows.filter((row) => {
    const before = seen.get(row.orderId);
    return before !== undefined && before !== placedAt(row, shop);
  });
  return [
    ...describeMalformed(inRange, shop).map(({ reason }) => reason),
    ...shared.map(({ orderId }) => unidentifiedReason(orderId)),
  ];
}

function isInRange(raw: JsonObject, { from, to }: CountedDays, shop: ShopZone): boolean {
  if (from === undefined && to === undefined) return true;
  const day = createdMinute(raw, shop)?.toPlainDate();
  if (day === undefined) return false;
  const isLateEnough = from === undefined || Temporal.PlainDate.compare(day, from) >= 0;
  return isLateEnough && (to === undefined || Temporal.PlainDate.compare(day, to) <= 0);
}

async function makeDifferencesDue(
  { db, lease, now }: Pick<Ports, 'db' | 'lease' | 'now'>,
  differences: readonly OrderDifference[],
): Promise<number> {
  const days = [...new Set(differences.flatMap(({ day }) => day ?? []))];
  const different = differences.flatMap(({ kind, order_id }) =>
    kind === 'differs' || kind === 'lines differ' ? [order_id] : [],
  );
  return fenced(db, lease, async (tx) => {
    await makeDue(tx, lease.shopId, days);
    await clearFingerprints(tx, lease.shopId, different);
    await hurryDue(tx, lease.shopId, 'lines', now());
    return (await readOpenOrders(tx, lease.shopId)).doubtful;
  });
}

/** @param months of the rows before, to be added to */
function addRow(months: Map<string, ListedMonth>, { created_on, currency, order_sum }: OrderRow): void {
  const month = created_on?.slice(0, 7) ?? null;
  const key = `${month} ${currency}`;
  const { orders, cents } = months.get(key) ?? { orders: 0, cents: 0n };
  const own = decimalUnits(order_sum ?? '0');
  months.set(key, { month, currency, orders: orders + 1, cents: cents + own });
}
