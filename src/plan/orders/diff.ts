import type { StoredOrder } from '../../model/stored-order.ts';

export type ListedOrder = { readonly orderId: string; readonly fingerprint: string };

/** What is to be done for the orders of one window. An order is in exactly one of the lists. */
export type WindowDiff = {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** The list row is unchanged, but the lines are due again. */
  readonly linesDue: readonly string[];
  readonly unchanged: readonly string[];
  /** Held in this window, not returned by the walk. */
  readonly missing: readonly string[];
  /** Unchanged or with lines due, and no longer missing: the mark is removed. */
  readonly returned: readonly string[];
};

/** @param linesMaxAgeMs lines of an open order are read again after this long */
export function diffWindow(
  listed: readonly ListedOrder[],
  stored: readonly StoredOrder[],
  linesMaxAgeMs: number,
  now: Temporal.Instant,
): WindowDiff {
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const seen = new Set(listed.map((order) => order.orderId));
  const added: string[] = [];
  const changed: string[] = [];
  const linesDue: string[] = [];
  const unchanged: string[] = [];
  const returned: string[] = [];
  for (const { orderId, fingerprint } of listed) {
    const order = held.get(orderId);
    if (order === undefined) added.push(orderId);
    else if (order.fingerprint !== fingerprint) changed.push(orderId);
    else {
      (areLinesDue(order, linesMaxAgeMs, now) ? linesDue : unchanged).push(orderId);
      if (order.isMarked) returned.push(orderId);
    }
  }
  const missing = stored.filter((order) => order.isInWindow && !order.isMarked && !seen.has(order.orderId));
  return { added, changed, linesDue, unchanged, returned, missing: missing.map((order) => order.orderId) };
}

/** Those that are not in, or doubtful, are retried for themselves, whatever the day of their order. */
function areLinesDue(
  { isOpen, linesFetchedAt, linesState }: StoredOrder,
  maxAgeMs: number,
  now: Temporal.Instant,
): boolean {
  if (!isOpen || linesFetchedAt === undefined) return false;
  const ageMs = now.epochMilliseconds - linesFetchedAt.epochMilliseconds;
  return (linesState === 'ok' || linesState === 'doubtful') && ageMs >= maxAgeMs;
}
