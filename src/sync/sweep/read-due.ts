import { type DueDay, dueDays, type DueRange, type DueRule } from '../../plan/due-days.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { announceDay, readLedger } from '../../warehouse/ops/ledger.ts';
import type { Ports } from '../run/context.ts';
import { assertNotFuture, today } from '../run/shop-day.ts';
import type { SweepRequest } from './sweep-request.ts';

/**
 * Half of a worker's usual tick: a sync that runs every minute, and waits longer for a slot at one time than at another,
 * would otherwise find days that are due every minute not quite due every second time.
 */
const AHEAD_MS = 30_000;

/** The days that a sweep covers: none after today. @throws UsageError for a first day in the future */
export function sweptRange(ports: Pick<Ports, 'now' | 'shop'>, { from, to }: SweepRequest): DueRange {
  const last = today(ports);
  if (from !== undefined) assertNotFuture(ports, from);
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? ports.shop.historyFrom, to: isEarlier ? to : last };
}

/** The days of a range that are due now, newest first. */
export async function readDue(
  { db, lease, now, shop }: Pick<Ports, 'db' | 'lease' | 'now' | 'shop'>,
  request: SweepRequest,
  range: DueRange,
): Promise<readonly DueDay[]> {
  const began = now();
  const ledger = await readLedger(db, lease.shopId);
  // The ledger shows the newest day as open before it is read.
  if (!ledger.some(({ day }) => day.equals(range.to))) {
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, range.to));
  }
  const rule: DueRule = request.force
    ? { by: 'force', notSince: began }
    : { by: 'policy', policy: shop.freshness, aheadMs: request.kind === 'sync' ? AHEAD_MS : 0 };
  return dueDays(ledger, range, rule, began, shop.timezone);
}
