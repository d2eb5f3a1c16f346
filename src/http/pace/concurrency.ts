/**
 * How many requests are in flight: as many as the shop answers about as fast as it answers few. Pure.
 *
 * What answers take while few requests are in flight is measured for each kind of request. Where clearly more of them than
 * usual take long while more are in flight, they waited in the shop, and so did its visitors. Before fewer are let through
 * for it, what is usual is measured anew, since the shop itself may have become slower.
 */
import type { PacedAttempt } from './rate.ts';

export type Concurrency = {
  /** Requests in flight; of a fraction, so many of them may find one more in flight than others. */
  readonly allowed: number;
  /** Why fewer are allowed than could be; undefined as long as nothing speaks against more. */
  readonly heldBackBy: 'slowness' | 'failures' | undefined;
  /** Up to this many it grows fast: nothing has spoken against them so far, or they were fine before a failure. */
  readonly fastTo: number;
  readonly usual: Readonly<Record<string, Usual>>;
  /** Milliseconds of answers by kind of request, since the last decision. */
  readonly recent: Readonly<Record<string, readonly number[]>>;
  /** Of them, those whose requests filled what is allowed. */
  readonly full: number;
  /** Only answers to requests after this number tell of the last decision. */
  readonly from: number;
  /** Whether few are let through, to measure what is usual. */
  readonly isMeasuring: boolean;
  readonly measuredAtMs: number;
  /** Allowed when it was last measured. */
  readonly measuredAt: number;
  readonly measureEveryMs: number;
  /** Requests up to this number started before the last decrease by a failure. */
  readonly decreasedAfter: number;
};

/** Answers to one kind of request while few are in flight. */
type Usual = {
  /** Milliseconds, of the latest answers. */
  readonly times: readonly number[];
  /** What takes more milliseconds than that is slow. */
  readonly slowMs: number;
  /** Share of the answers that are slow. */
  readonly slow: number;
  /** So many requests were in flight. */
  readonly inFlight: number;
};

export type AnsweredAttempt = PacedAttempt & {
  readonly kind: string;
  /** Requests in flight as it started, itself included. */
  readonly inFlight: number;
  /** How late this process sees an answer. */
  readonly ownDelayMs: number;
};

/** Allowed before anything is known. */
const FIRST_ALLOWED = 4;
/** Slow is what takes longer than most answers usually do, by a share and some milliseconds, and long enough to be noticed. */
const [MOST, SLOWER, SLOWER_MS, UNNOTICED_MS] = [0.75, 0.1, 2, 25];
/** This share of the answers may be slow beyond those that usually are. */
const TOLERATED = 0.06;
/** A decision takes this many answers, and more while chance could explain them. */
const [FIRST_ANSWERS, MIN_ANSWERS, MAX_ANSWERS] = [8, 32, 96];
/** So many standard errors away from what is tolerated, there is no doubt. */
const SURE_ERRORS = 1.5;
/** Allowed requests grow or shrink by this share at most; they double where growth is fast, and are halved where most answers are slow. */
const [STEP, VERY_SLOW] = [0.1, 5];
/** After a failure, this part of what was allowed is taken to be fine. */
const FINE_AFTER_FAILURE = 0.75;
/** To measure what is usual, this part of what is allowed is in flight, for so many answers. */
const [MEASURED_PART, MEASURED_ANSWERS] = [1 / 4, 12];
/** What is usual is told by so many answers at the most. */
const USUAL_ANSWERS = 120;
/** With so many, a difference that could be chance is acted on; after a decrease to this part it is measured again. */
const [KNOWN_ANSWERS, LEFT] = [60, 0.7];
const [FIRST_MEASURE_MS, MAX_MEASURE_MS, MEASURE_GROWTH] = [2000, 30_000, 2];

/** @param known allowed when an earlier run ended */
export function startConcurrency(max: number, known = max): Concurrency {
  return {
    allowed: Math.min(max, known, FIRST_ALLOWED),
    heldBackBy: known < max ? 'slowness' : undefined,
    fastTo: Math.min(max, known),
    usual: {},
    recent: {},
    full: 0,
    from: 0,
    isMeasuring: false,
    measuredAtMs: -Infinity,
    measuredAt: 0,
    measureEveryMs: FIRST_MEASURE_MS,
    decreasedAfter: 0,
  };
}

/** How many may be in flight when the request of this number starts, itself included. */
export function inFlightAllowed({ allowed, isMeasuring }: Concurrency, number: number): number {
  if (isMeasuring) return Math.max(1, Math.floor(allowed * MEASURED_PART));
  // Multiples of the golden ratio are spread evenly between 0 and 1.
  return Math.max(1, Math.floor(allowed + ((number * 0.618_034) % 1)));
}

/** The shop failed. @returns half as many, once for all that were in flight */
export function afterFailure(state: Concurrency, { number, lastStarted }: PacedAttempt): Concurrency {
  if (number <= state.decreasedAfter) return state;
  const allowed = Math.max(1, Math.floor(state.allowed / 2));
  // Of failures in a row the first alone tells how many were too many.
  const fastTo = state.allowed < state.fastTo ? state.fastTo : FINE_AFTER_FAILURE * state.allowed;
  return {
    ...renewed(state, lastStarted),
    allowed,
    fastTo,
    heldBackBy: 'failures',
    decreasedAfter: lastStarted,
  };
}

/** The shop answered. */
export function afterLatency(state: Concurrency, attempt: AnsweredAttempt, max: number): Concurrency {
  const { kind, number, inFlight, startedMs, endedMs, ownDelayMs } = attempt;
  if (number <= state.from) return state;
  const ms = Math.max(0, endedMs - startedMs - ownDelayMs);
  const recent = { ...state.recent, [kind]: [...(state.recent[kind] ?? []), ms] };
  const full = state.full + (inFlight >= Math.floor(state.allowed) ? 1 : 0);
  const next = { ...state, recent, full };
  const count = Object.values(recent).reduce((sum, times) => sum + times.length, 0);
  if (state.isMeasuring) return count < MEASURED_ANSWERS ? next : measured(next, attempt);
  const enough = state.allowed < state.fastTo ? Math.max(FIRST_ANSWERS, state.allowed) : MIN_ANSWERS;
  return count < enough ? next : decided(guessed(next), count, attempt, max);
}

/** Forgets what was seen up to a request. */
function renewed(state: Concurrency, from: number): Concurrency {
  return { ...state, recent: {}, full: 0, from, isMeasuring: false };
}

function measuring(state: Concurrency, from: number): Concurrency {
  return { ...renewed(state, from), isMeasuring: true };
}

function measured(state: Concurrency, { endedMs, lastStarted }: AnsweredAttempt): Concurrency {
  const measureEveryMs = Math.min(MAX_MEASURE_MS, state.measureEveryMs * MEASURE_GROWTH);
  const usual = { ...state.usual };
  const inFlight = inFlightAllowed(state, 0);
  for (const [kind, times] of Object.entries(state.recent)) {
    const known = usual[kind];
    // What was seen with more in flight says less.
    const earlier = known === undefined || inFlight * 2 <= known.inFlight ? [] : known.times;
    usual[kind] = toUsual([...earlier, ...times], inFlight);
  }
  return {
    ...renewed(state, lastStarted),
    usual,
    measuredAtMs: endedMs,
    measuredAt: state.allowed,
    measureEveryMs,
  };
}

/** Of a kind of which nothing is known, what was seen now is taken to be usual, until it is measured. */
function guessed(state: Concurrency): Concurrency {
  const unknown = Object.entries(state.recent).filter(
    ([kind, times]) => state.usual[kind] === undefined && times.length >= FIRST_ANSWERS / 2,
  );
  const guesses = unknown.map(([kind, times]) => [kind, toUsual(times, state.allowed)] as const);
  return { ...state, usual: { ...state.usual, ...Object.fromEntries(guesses) } };
}

function toUsual(all: readonly number[], inFlight: number): Usual {
  const times = all.slice(-USUAL_ANSWERS);
  const most = times.toSorted((a, b) => a - b)[Math.floor(MOST * (times.length - 1))] ?? 0;
  const slowMs = Math.max(UNNOTICED_MS, most * (1 + SLOWER) + SLOWER_MS);
  return { times, slowMs, slow: shareAbove(times, slowMs), inFlight };
}

function decided(state: Concurrency, count: number, attempt: AnsweredAttempt, max: number): Concurrency {
  const { slowness, error, part, known } = compare(state);
  const { lastStarted, endedMs } = attempt;
  const isClear = Math.abs(slowness - 1) > SURE_ERRORS * error;
  const isSure = isClear || count >= MAX_ANSWERS;
  const isSlow = isSure && slowness > 1;
  const sinceMs = endedMs - state.measuredAtMs;
  const isDoubtful = isSlow && (isClear ? state.allowed < LEFT * state.measuredAt : known < KNOWN_ANSWERS);
  const isDue = sinceMs > (isDoubtful ? FIRST_MEASURE_MS : state.measureEveryMs);
  const isFast = state.allowed < state.fastTo;
  // Where all that is allowed is in flight, answers are measured only if they seem slow.
  if (isDue && (isSlow || (!isFast && state.allowed < max))) return measuring(state, lastStarted);
  if (isDoubtful) return renewed(state, state.from);
  if (isSlow) {
    const left = slowness > VERY_SLOW ? Math.max(0.5, part) : 1 - STEP * Math.min(1, slowness - 1);
    const allowed = Math.max(1, state.allowed * left);
    return {
      ...renewed(state, lastStarted),
      allowed,
      fastTo: Math.min(allowed, state.fastTo),
      heldBackBy: 'slowness',
    };
  }
  if (!isFast && !isSure) return state;
  // It does not grow while requests do not use what is allowed.
  if (state.full < FIRST_ANSWERS / 2) return renewed(state, state.from);
  const allowed = isFast
    ? Math.min(state.fastTo, state.allowed * 2)
    : Math.min(max, state.allowed * (1 + STEP * (1 - slowness)));
  // After a large step, what is in flight still tells of the time before.
  const next = renewed(state, isFast ? lastStarted : state.from);
  return { ...next, allowed, heldBackBy: allowed < max ? state.heldBackBy : undefined };
}

/**
 * How many answers are slow beyond those that usually are, of what is tolerated: 1 just as many; its standard error; and
 * the part of the requests after which answers are no longer slow.
 */
function compare({ usual, recent }: Concurrency) {
  let [count, slowness, variance, part, known] = [0, 0, 0, 0, 0];
  for (const [kind, times] of Object.entries(recent)) {
    const calm = usual[kind];
    if (calm === undefined) continue;
    const slow = shareAbove(times, calm.slowMs);
    count += times.length;
    slowness += times.length * (slow - calm.slow);
    known += times.length * calm.times.length;
    variance += times.length ** 2 * (errorSquared(slow, times) + errorSquared(calm.slow, calm.times));
    part += times.length * Math.min(1, calm.slowMs / Math.max(1e-3, mean(times)));
  }
  const total = Math.max(1, count);
  const error = Math.sqrt(variance) / total / TOLERATED;
  return { slowness: slowness / total / TOLERATED, error, part: part / total, known: known / total };
}

/** Of a share that was seen in so many answers: a share of none may be chance too. */
function errorSquared(share: number, { length }: readonly number[]): number {
  const likely = (share * length + 0.5) / (length + 1);
  return (likely * (1 - likely)) / length;
}

function shareAbove(times: readonly number[], ms: number): number {
  return times.filter((time) => time > ms).length / times.length;
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0) / times.length;
}
