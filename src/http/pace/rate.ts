/**
 * How many requests start in a second. A server that refuses what is too much has a limit, which is found, used and
 * followed. Pure.
 *
 * Whatever the size of a server's bucket of tokens, it is empty when a request is refused. So between two refusals the
 * server accepts exactly what its limit allows in that time: after a few refusals the limit is known.
 */
export type Rate = {
  /** Starts per second. */
  readonly perSecond: number;
  /** No request starts before, in milliseconds of the clock. */
  readonly nextAtMs: number;
  /** What the server takes per second; undefined as long as nothing was refused. */
  readonly limit: number | undefined;
  /** Starts per second of late, when they were last counted, and since when. */
  readonly recent:
    | { readonly perSecond: number; readonly atMs: number; readonly sinceMs: number }
    | undefined;
  /** The refusal since which accepted requests are counted. */
  readonly anchor: { readonly number: number; readonly atMs: number; readonly refused: number } | undefined;
  /** Requests up to this number started before the last decrease, which took their refusals into account. */
  readonly decreasedAfter: number;
  readonly decreasedAtMs: number;
  /** Decreases without an answer between. */
  readonly inRow: number;
  /** The growth up to then is in `perSecond`. */
  readonly grownAtMs: number;
};

/** One attempt at a request, as the pace sees it. */
export type PacedAttempt = {
  /** Attempts are counted from 1. */
  readonly number: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Number of the attempt started last. */
  readonly lastStarted: number;
  /** Whether it waited for the rate, and not only for a free slot. */
  readonly waited: boolean;
};

/** What is left of the rate after a refusal: while nothing is known of the limit, and afterwards. */
const [SEARCH_FACTOR, FACTOR] = [0.4, 0.8];
/** After so many refusals in a row the limit is not what it was. */
const SEARCHED_AGAIN = 3;
/** A refusal is followed by a pause of so many requests. */
const PAUSE_REQUESTS = 2;
const MAX_PAUSE_MS = 10_000;
/**
 * Growth per second near the limit: more for who asks less, while who asks more is refused more often. So those who
 * share a limit come to equal parts of it. Rates of a few requests per second grow by a share of themselves, so that one
 * in fifty is refused at the most.
 */
const [ADDED, ADDED_MORE, MAX_GROWTH, SPEED_UP_MS] = [0.03, 0.0006, 0.03, 20_000];
/** Growth per second where the limit is unknown. */
const FAST_GROWTH = 0.3;
/** So many accepted requests are enough for an estimate, and so many for a new one. */
const [MIN_ACCEPTED, MAX_ACCEPTED] = [4, 60];
const MIN_PER_SECOND = 0.1;
/** Starts that came late are made up for if they are not later than this. */
const CATCH_UP_MS = 20;
const [RECENT_MS, MIN_RECENT] = [500, 10];

/** @param limit what the server took per second in an earlier run */
export function startRate(maxRps: number, limit?: number): Rate {
  return {
    perSecond: Math.min(maxRps, limit ?? maxRps),
    nextAtMs: -Infinity,
    limit: limit !== undefined && limit < maxRps ? limit : undefined,
    recent: undefined,
    anchor: undefined,
    decreasedAfter: 0,
    decreasedAtMs: 0,
    inRow: 0,
    grownAtMs: 0,
  };
}

/** A request started. In no second there are more than `maxRps`, late ones included. */
export function afterStart(rate: Rate, nowMs: number, maxRps: number): Rate {
  const fromMs = nowMs - rate.nextAtMs > CATCH_UP_MS ? nowMs : rate.nextAtMs;
  const { perSecond, atMs, sinceMs } = rate.recent ?? { perSecond: 0, atMs: nowMs, sinceMs: nowMs };
  const decay = Math.exp((atMs - nowMs) / RECENT_MS);
  return {
    ...rate,
    nextAtMs: fromMs + Math.max(1000 / rate.perSecond, (1000 + CATCH_UP_MS) / maxRps),
    recent: { perSecond: perSecond * decay + 1000 / RECENT_MS, atMs: nowMs, sinceMs },
  };
}

/** A request was not refused: the rate grows with the time that passed, if it is what the request waited for. */
export function afterAnswer(rate: Rate, { endedMs, waited, number }: PacedAttempt, maxRps: number): Rate {
  const isNew = number > rate.decreasedAfter;
  const settled = { ...rate, inRow: isNew ? 0 : rate.inRow, grownAtMs: endedMs };
  if (!waited || !isNew) return settled;
  const seconds = Math.min(1, Math.max(0, endedMs - rate.grownAtMs) / 1000);
  const perSecond = Math.min(maxRps, rate.perSecond * Math.exp(growthPerSecond(rate, endedMs) * seconds));
  // Where the server takes all that is allowed, it has no limit any more.
  return { ...settled, perSecond, limit: perSecond < maxRps ? rate.limit : undefined };
}

function growthPerSecond({ perSecond, limit, decreasedAtMs }: Rate, nowMs: number): number {
  if (limit === undefined) return FAST_GROWTH;
  const growth = Math.min(MAX_GROWTH, ADDED / perSecond + ADDED_MORE * perSecond);
  return Math.min(FAST_GROWTH, growth * (1 + ((nowMs - decreasedAtMs) / SPEED_UP_MS) ** 2));
}

/** A request was refused because there were too many. */
export function afterRefusal(rate: Rate, { number, startedMs, endedMs, lastStarted }: PacedAttempt): Rate {
  const isSince = rate.anchor !== undefined && number > rate.anchor.number;
  const anchor = rate.anchor && { ...rate.anchor, refused: rate.anchor.refused + (isSince ? 1 : 0) };
  if (number <= rate.decreasedAfter) return { ...rate, anchor };
  const accepted = anchor === undefined ? 0 : number - anchor.number - anchor.refused;
  const elapsed = startedMs - (anchor?.atMs ?? startedMs);
  const isMeasured = accepted >= MIN_ACCEPTED && elapsed > 0;
  const limit = isMeasured ? estimate((accepted * 1000) / elapsed, rate.perSecond) : rate.limit;
  const perSecond = Math.max(MIN_PER_SECOND, decreased(rate, isMeasured, limit));
  const inRow = rate.inRow + 1;
  const pauseMs = Math.min(MAX_PAUSE_MS, (1000 / perSecond) * PAUSE_REQUESTS);
  return {
    ...rate,
    perSecond,
    limit,
    inRow,
    anchor: anchor && accepted <= MAX_ACCEPTED ? anchor : { number, atMs: startedMs, refused: 0 },
    decreasedAfter: lastStarted,
    decreasedAtMs: endedMs,
    nextAtMs: Math.max(rate.nextAtMs, endedMs + pauseMs),
    grownAtMs: endedMs,
  };
}

/** How many started per second of late: fewer than allowed, if there were no slots or nothing to ask. */
function askedPerSecond({ recent }: Rate): number {
  if (recent === undefined) return MIN_RECENT;
  // At first only a part of the time looked at has passed.
  const passed = 1 - Math.exp((recent.sinceMs - recent.atMs - 50) / RECENT_MS);
  return Math.max(MIN_RECENT, recent.perSecond / passed);
}

/** What was accepted is less than the limit where the bucket ran over meanwhile, and what was asked for is more. */
function estimate(accepted: number, perSecond: number): number {
  return perSecond > 1.5 * accepted ? Math.sqrt(accepted * perSecond) : accepted;
}

function decreased(rate: Rate, isMeasured: boolean, measured = Infinity): number {
  const { perSecond, limit, inRow } = rate;
  if (isMeasured) return Math.min(perSecond * FACTOR, measured * 1.1);
  if (limit === undefined)
    return Math.min(perSecond, inRow > 0 ? perSecond : askedPerSecond(rate)) * SEARCH_FACTOR;
  return Math.min(perSecond * (inRow >= SEARCHED_AGAIN ? SEARCH_FACTOR : FACTOR), limit * 1.1);
}
