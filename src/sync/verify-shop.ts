import type { OrderRow } from '../normalize/order.ts';
import { NORMALIZER_VERSION } from '../normalize/version.ts';
import { compareMonths, type MonthComparison, type MonthFigures, toCents } from '../plan/compare-months.ts';
import { daysOf } from '../plan/day-coverage.ts';
import { type DayRange, dueDays, dueRuns } from '../plan/due-days.ts';
import { forgetFingerprints } from '../warehouse/compare-orders.ts';
import { fenced } from '../warehouse/lease.ts';
import { makeDue, readLedger } from '../warehouse/ledger.ts';
import { readMonthTotals } from '../warehouse/month-totals.ts';
import type { RunCounts } from '../warehouse/runs.ts';
import { compareWindow, type OrderDifference } from './compare-window.ts';
import { assertNotFuture, earlierStart, historyStart, today } from './history.ts';
import { readWindows } from './read-windows.ts';
import { readReplayState } from './replay-state.ts';
import { type RunDeps, type RunOutcome, runShop, type ShopContext } from './run-shop.ts';

export type VerifyRequest = {
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Make the days that differ due, so that the next sweep mends them. */
  readonly makeDue: boolean;
};

type Verified = {
  readonly range: DayRange;
  readonly months: readonly MonthComparison[];
  readonly differences: readonly OrderDifference[];
};

export type VerifyResult = RunOutcome<Verified> & { readonly counts: RunCounts };

/**
 * Reads the shop's list anew and compares it with the warehouse: per month the count and the sum, per order the
 * fingerprint and the columns. Writes no order.
 */
export async function verifyShop(context: ShopContext, request: VerifyRequest): Promise<VerifyResult> {
  return runShop(context, 'verify', (deps) => verify(deps, request));
}

async function verify(deps: RunDeps, request: VerifyRequest): Promise<RunOutcome<Verified>> {
  const { db, lease, shop, tally } = deps;
  if (request.from) assertNotFuture(deps, request.from);
  const from = request.from ?? (await earlierStart(deps, await historyStart(deps)));
  const range = { from, to: request.to ?? today(deps) };
  const ledger = await readLedger(db, lease.shopId, range.from, range.to);
  const all = dueDays(ledger, range, { by: 'all' }, deps.now(), shop.timezone);
  const months = new Map<string, MonthFigures>();
  const found: OrderDifference[] = [];
  const unread = new Set<string>();
  const { version } = await readReplayState(db, lease.shopId);
  const comparesColumns = version >= NORMALIZER_VERSION;
  for (const run of dueRuns(all)) {
    for await (const reading of readWindows(deps, run, () => true)) {
      if (reading.kind === 'drifted') {
        tally.shortfalls.push(reading.reason);
        for (const day of daysOf(reading.window)) unread.add(monthOf(day.toString()));
      } else {
        const compared = await compareWindow(deps, reading, comparesColumns);
        addToMonths(months, compared.rows);
        found.push(...compared.differences);
        tally.orders_seen += reading.rows.length;
      }
    }
  }
  const differences = oncePerOrder(found);
  if (request.makeDue) {
    const days = [...new Set(differences.flatMap(({ day }) => day ?? []))];
    const unlike = differences.flatMap(({ kind, orderId }) => (kind === 'differs' ? [orderId] : []));
    await fenced(db, lease, async (tx) => {
      await makeDue(tx, lease.shopId, days);
      await forgetFingerprints(tx, lease.shopId, unlike);
    });
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

function addToMonths(months: Map<string, MonthFigures>, rows: readonly OrderRow[]): void {
  for (const { created_on: day, order_sum: sum } of rows) {
    if (day === null) continue;
    const month = monthOf(day);
    const before = months.get(month) ?? { orders: 0, cents: 0n };
    months.set(month, { orders: before.orders + 1, cents: before.cents + toCents(sum ?? '0') });
  }
}
