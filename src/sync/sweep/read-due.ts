import { type DueDay, dueDays, type DueRange, type DueRule } from '../../plan/due-days.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { announceDay, readLedger } from '../../warehouse/ops/ledger.ts';
import type { Ports } from '../run/context.ts';
import { assertNotFuture, today } from '../run/shop-day.ts';
import type { SweepRequest } from './sweep-request.ts';

/**
 * A sync that comes every five minutes, give or take a moment, would find days due every five minutes just not due yet
 * each second time.
 */
const AHEAD_MS = 30_000;

/** The days that a sweep is about: none after today. @throws TerminalError for a first day in the future */
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
  // What is still to come shows in the ledger before it is asked for.
  if (!ledger.some(({ day }) => day.equals(range.to))) {
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, range.to));
  }
  const rule: DueRule = request.force
    ? { by: 'force', notSince: began }
    : { by: 'policy', policy: shop.freshness, aheadMs: request.kind === 'sync' ? AHEAD_MS : 0 };
  return dueDays(ledger, range, rule, began, shop.timezone);
}
