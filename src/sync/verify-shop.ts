import { fingerprint } from '../normalize/fingerprint.ts';
import { createdMinute, normalizeOrder } from '../normalize/order.ts';
import { compareMonths, type MonthComparison, type MonthFigures, toCents } from '../plan/compare-months.ts';
import { daysOf } from '../plan/day-coverage.ts';
import { type DayRange, dueDays, dueRuns } from '../plan/due-days.ts';
import type { ListRow } from '../shop-api/orders.ts';
import { fenced } from '../warehouse/lease.ts';
import { makeDue, readLedger } from '../warehouse/ledger.ts';
import { readMonthTotals } from '../warehouse/month-totals.ts';
import type { RunCounts } from '../warehouse/runs.ts';
import { readHeldOrders } from '../warehouse/stored-orders.ts';
import { earlierStart, historyStart, today } from './history.ts';
import { readWindows, type WindowReading } from './read-windows.ts';
import { type RunDeps, type RunOutcome, runShop, type ShopContext } from './run-shop.ts';

export type VerifyRequest = {
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Make the days that differ due, so that the next sweep mends them. */
  readonly makeDue: boolean;
};

/** One order that differs between shop and warehouse. */
type OrderDifference = {
  readonly orderId: string;
  /** Day in the shop, or in the warehouse where the shop does not list it. */
  readonly day: string | undefined;
  readonly kind: 'not in the warehouse' | 'not in the shop' | 'differs';
};

type Verified = {
  readonly range: DayRange;
  readonly months: readonly MonthComparison[];
  readonly differences: readonly OrderDifference[];
};

export type VerifyResult = RunOutcome<Verified> & { readonly counts: RunCounts };

/**
 * Reads the shop's list anew and compares it with the warehouse: per month the count and the sum, per order the
 * fingerprint. Writes no order.
 */
export async function verifyShop(context: ShopContext, request: VerifyRequest): Promise<VerifyResult> {
  return runShop(context, 'verify', (deps) => verify(deps, request));
}

async function verify(deps: RunDeps, request: VerifyRequest): Promise<RunOutcome<Verified>> {
  const { db, lease, shop, tally } = deps;
  const from = request.from ?? (await earlierStart(deps, await historyStart(deps)));
  const range = { from, to: request.to ?? today(deps) };
  const ledger = await readLedger(db, lease.shopId, range.from, range.to);
  const all = dueDays(ledger, range, { by: 'all' }, deps.now(), shop.timezone);
  const months = new Map<string, MonthFigures>();
  const found: OrderDifference[] = [];
  const unread = new Set<string>();
  for (const run of dueRuns(all)) {
    for await (const reading of readWindows(deps, run, () => true)) {
      if (reading.kind === 'drifted') {
        tally.shortfalls.push(reading.reason);
        for (const day of daysOf(reading.window)) unread.add(monthOf(day.toString()));
      } else {
        addToMonths(deps, months, reading.rows);
        found.push(...(await compareWindow(deps, reading)));
        tally.orders_seen += reading.rows.length;
      }
    }
  }
  const differences = oncePerOrder(found);
  if (request.makeDue) {
    const days = [...new Set(differences.flatMap(({ day }) => day ?? []))];
    await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, days));
  }
  const held = await readMonthTotals(db, lease.shopId, range.from, range.to);
  const ours = new Map(held.map(({ month, orders, sum }) => [month, { orders, cents: toCents(sum) }]));
  const status = tally.shortfalls.length === 0 ? 'ok' : 'partial';
  // A month that was not read whole cannot be compared.
  const compared = compareMonths(months, ours).filter(({ month }) => !unread.has(month));
  return { status, shortfalls: tally.shortfalls, range, months: compared, differences };
}

/** `2026-01-31` -> `2026-01` */
const monthOf = (day: string) => day.slice(0, 7);

/** An order that was moved differs where it is now and is not in the shop where it was: the former says more. */
function oncePerOrder(found: readonly OrderDifference[]): readonly OrderDifference[] {
  const listed = new Set(found.flatMap(({ kind, orderId }) => (kind === 'not in the shop' ? [] : [orderId])));
  return found.filter(({ kind, orderId }) => kind !== 'not in the shop' || !listed.has(orderId));
}

function addToMonths(deps: RunDeps, months: Map<string, MonthFigures>, rows: readonly ListRow[]): void {
  for (const { raw } of rows) {
    const { row } = normalizeOrder(raw, deps.shop);
    if (row === undefined || row.created_on === null) continue;
    const month = monthOf(row.created_on);
    const before = months.get(month) ?? { orders: 0, cents: 0n };
    months.set(month, { orders: before.orders + 1, cents: before.cents + toCents(row.order_sum ?? '0') });
  }
}

async function compareWindow(
  { db, lease }: RunDeps,
  { window, rows }: Extract<WindowReading, { kind: 'whole' }>,
): Promise<readonly OrderDifference[]> {
  const held = await readHeldOrders(
    db,
    lease.shopId,
    window,
    rows.map((row) => row.orderId),
  );
  const live = new Map(held.filter((order) => !order.isMarked).map((order) => [order.orderId, order]));
  const listed = new Set(rows.map((row) => row.orderId));
  const ofShop = rows.flatMap((row): OrderDifference[] => {
    const stored = live.get(row.orderId);
    if (stored?.fingerprint === fingerprint(row.raw)) return [];
    const kind = stored === undefined ? 'not in the warehouse' : 'differs';
    return [{ orderId: row.orderId, day: createdMinute(row.raw)?.toPlainDate().toString(), kind }];
  });
  const ofWarehouse = [...live.values()]
    .filter((order) => order.isInWindow && !listed.has(order.orderId))
    .map((order): OrderDifference => ({
      orderId: order.orderId,
      day: order.createdOn,
      kind: 'not in the shop',
    }));
  return [...ofShop, ...ofWarehouse];
}
