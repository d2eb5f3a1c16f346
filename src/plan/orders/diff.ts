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

export type LinesPolicy = {
  /** Lines of an open order are read again after this long. */
  readonly maxAgeMs: number;
  readonly retry: LinesRetry;
};

export function diffWindow(
  listed: readonly ListedOrder[],
  stored: readonly StoredOrder[],
  lines: LinesPolicy,
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
      (areLinesDue(order, lines, now) ? linesDue : unchanged).push(orderId);
      if (order.isMarked) returned.push(orderId);
    }
  }
  const missing = stored.filter((order) => order.isInWindow && !order.isMarked && !seen.has(order.orderId));
  return { added, changed, linesDue, unchanged, returned, missing: missing.map((order) => order.orderId) };
}

function areLinesDue(order: StoredOrder, policy: LinesPolicy, now: Temporal.Instant): boolean {
  if (order.linesFetchedAt === undefined) return true;
  const ageMs = now.epochMilliseconds - order.linesFetchedAt.epochMilliseconds;
  // Doubtful ones are retried for themselves, a few at a time: all of a day might be.
  if (order.linesState === 'ok' || order.linesState === 'doubtful')
    return order.isOpen && ageMs >= policy.maxAgeMs;
  return ageMs >= linesPauseMs(policy.retry, order.linesAttempts);
}

/** When lines that could not be fetched are asked for again: after a pause that doubles with each further failure. */
type LinesRetry = {
  readonly firstPauseMs: number;
  /** The pause grows no more after so many doublings. */
  readonly maxDoublings: number;
};

export const LINES_RETRY: LinesRetry = { firstPauseMs: 60_000, maxDoublings: 8 };

export function linesPauseMs({ firstPauseMs, maxDoublings }: LinesRetry, attempts: number): number {
  return firstPauseMs * 2 ** Math.min(Math.max(attempts - 1, 0), maxDoublings);
}

/** When doubtful lines are asked for again, after the sweep that found them. */
export const DOUBT_RETRY = {
  /** After the second request; doubles with each further one. */
  firstPauseMs: 60_000,
  /** The longest pause is nearly six days. */
  maxDoublings: 13,
  /** After its second request, an order is as it is, unless these, drawn from all of the shop, show that it serves others now. */
  watched: 100,
  /** So many at once, and no more unless a tenth of them turned out better: the shop still serves them wrong, or means it. */
  sample: 20,
} as const;
