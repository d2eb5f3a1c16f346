import { UsageError } from '../errors.ts';
import { readOldestHeldDay } from '../warehouse/stored-orders.ts';
import type { SweepDeps } from './deps.ts';
import { findHistoryStart, hasOrdersBefore } from './history-start.ts';
import type { RunDeps } from './run-shop.ts';

/**
 * The first day that holds orders: as configured, as remembered, or looked for now. An order that is held of a day before
 * what is remembered was moved there, and may be gone from there since.
 */
export async function historyStart(deps: RunDeps): Promise<Temporal.PlainDate> {
  const { db, lease, shop, history } = deps;
  if (shop.historyFrom !== undefined) return shop.historyFrom;
  if (history.from !== undefined) {
    const held = await readOldestHeldDay(db, lease.shopId);
    if (held !== undefined && Temporal.PlainDate.compare(held, history.from) < 0) noteStart(deps, held);
    return history.from;
  }
  const start = await findHistoryStart(deps, today(deps));
  noteStart(deps, start);
  return start;
}

/**
 * Looks again for the first day that holds orders, since an order may have been moved or entered before it.
 *
 * @param from the first day as it is known
 */
export async function earlierStart(deps: RunDeps, from: Temporal.PlainDate): Promise<Temporal.PlainDate> {
  if (deps.shop.historyFrom !== undefined || !(await hasOrdersBefore(deps, from))) return from;
  const start = await findHistoryStart(deps, from.subtract({ days: 1 }));
  noteStart(deps, start);
  return start;
}

function noteStart(deps: RunDeps, start: Temporal.PlainDate): void {
  deps.history.from = start;
  deps.logger.info({ shop: deps.shop.shopKey, from: start.toString() }, 'history start found');
}

/** @throws UsageError when the first day of a range is still to come in the shop */
export function assertNotFuture(deps: Pick<SweepDeps, 'now' | 'shop'>, from: Temporal.PlainDate): void {
  const last = today(deps);
  if (Temporal.PlainDate.compare(from, last) <= 0) return;
  throw new UsageError(`--from ${from.toString()} lies in the future: in the shop it is ${last.toString()}`);
}

/** The shop's own day at this moment. */
export function today({ now, shop }: Pick<SweepDeps, 'now' | 'shop'>): Temporal.PlainDate {
  return now().toZonedDateTimeISO(shop.timezone).toPlainDate();
}
