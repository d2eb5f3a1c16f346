/**
 * How many requests are in flight: as many as the shop answers about as fast as it answers few. Pure.
 *
 * How long an answer takes when few are in flight is measured for each kind of request, and again from time to time, by
 * a check that lets only a few through. What takes longer than that while more are in flight has waited in the shop,
 * and so did its visitors.
 */
import type { PacedAttempt } from './rate.ts';

export type Concurrency = {
  /** Requests in flight; of a fraction, so many of them may find one more in flight than others. */
  readonly allowed: number;
  readonly kinds: Readonly<Record<string, Usual>>;
  /** Nothing has spoken against more so far: each answer allows one more. */
  readonly isStarting: boolean;
  /** How much longer answers take than usual: 0 not at all, 1 as much as is tolerated. */
  readonly slowness: number;
  /** Answers in `slowness`. */
  readonly answers: number;
  /** Requests after this number belong to a check. */
  readonly checkFrom: number | undefined;
  readonly checkAtMs: number | undefined;
  readonly checkEveryMs: number;
  /** Requests up to this number started before the last decrease by a failure. */
  readonly decreasedAfter: number;
};

/** What answers to one kind of request take while few are in flight, in milliseconds. */
type Usual = {
  readonly ms: number;
  /** Mean distance from it. */
  readonly spreadMs: number;
  readonly answers: number;
  /** Answers while more were in flight: their sum and number, since it was last looked at. */
  readonly busySumMs: number;
  readonly busy: number;
};

export type AnsweredAttempt = PacedAttempt & {
  readonly kind: string;
  /** Requests in flight as it started, itself included. */
  readonly inFlight: number;
  /** How late this process is: a request is sent, and its answer seen, so much later. */
  readonly ownDelayMs: number;
};

/** Allowed before anything is known. */
const FIRST_ALLOWED = 4;
/** An answer is slow if it takes longer than usual by this share, so many milliseconds, and so many times the spread. */
const [SLOWER, SLOWER_MS, SPREADS] = [0.05, 2, 2];
/** The spread as long as it is not known, as a share of the time. */
const FIRST_SPREAD = 0.15;
/**
 * So many answers may be slow. They are counted, and not how slow they are: a moment at which everything stands still
 * says nothing of the shop.
 */
const TOLERATED_SHARE = 0.14;
/** Answers of which the mean is compared, and answers with few in flight that it is compared with. */
const [WINDOW, CALM_WINDOW] = [25, 16];
/** So many standard errors of the mean are needed to doubt what is usual. */
const SURE_ERRORS = 5;
/** Allowed requests grow or shrink by this share with each answer, times the distance from what is tolerated. */
const GAIN = 1 / 120;
/** In a check, this part of what is allowed is in flight, for so many requests. */
const [CHECK_PART, CHECK_REQUESTS] = [1 / 4, 10];
const [FIRST_CHECK_MS, MAX_CHECK_MS, CHECK_GROWTH] = [2000, 30_000, 1.5];

export function startConcurrency(max: number): Concurrency {
  return {
    allowed: Math.min(max, FIRST_ALLOWED),
    kinds: {},
    isStarting: max > FIRST_ALLOWED,
    slowness: 0,
    answers: 0,
    checkFrom: undefined,
    checkAtMs: undefined,
    checkEveryMs: FIRST_CHECK_MS,
    decreasedAfter: 0,
  };
}

/** How many may be in flight when the request of this number starts, itself included. */
export function inFlightAllowed({ allowed, checkFrom }: Concurrency, number: number): number {
  // Multiples of the golden ratio are spread evenly between 0 and 1.
  const drawn = (number * 0.618_034) % 1;
  return Math.max(1, Math.floor((checkFrom === undefined ? allowed : allowed * CHECK_PART) + drawn));
}

/** The shop failed. @returns half as many, once for all that were in flight */
export function afterFailure(state: Concurrency, { number, lastStarted }: PacedAttempt): Concurrency {
  if (number <= state.decreasedAfter) return state;
  const allowed = Math.max(1, Math.floor(state.allowed / 2));
  return { ...state, allowed, isStarting: false, decreasedAfter: lastStarted };
}

/** The shop answered. */
export function afterLatency(state: Concurrency, attempt: AnsweredAttempt, max: number): Concurrency {
  const known = state.kinds[attempt.kind];
  const tookMs = Math.max(0, attempt.endedMs - attempt.startedMs - 2 * attempt.ownDelayMs);
  // One answer that took very long says little of the others.
  const ms = known === undefined ? tookMs : Math.min(tookMs, 4 * known.ms + 100);
  const usual = learn(known ?? UNKNOWN, ms, isCalm(state, attempt, known));
  const next = { ...state, kinds: { ...state.kinds, [attempt.kind]: usual } };
  if (state.checkFrom !== undefined) return afterCheck(next, attempt);
  const isSlow = ms > slowerThanMs(usual);
  return adapt(withSlowness(next, isSlow ? 1 / TOLERATED_SHARE : 0), attempt, max);
}

const UNKNOWN: Usual = { ms: 0, spreadMs: 0, answers: 0, busySumMs: 0, busy: 0 };

/** Whether the answer tells what is usual. */
function isCalm(
  { allowed, checkFrom }: Concurrency,
  { number, inFlight }: AnsweredAttempt,
  known?: Usual,
): boolean {
  if (checkFrom !== undefined && number > checkFrom) return true;
  return (known?.answers ?? 0) < FIRST_ALLOWED || inFlight <= Math.max(1, allowed * CHECK_PART);
}

function learn(usual: Usual, ms: number, isFew: boolean): Usual {
  // The first answer says nothing of the spread.
  if (isFew && usual.answers === 0) return { ...usual, ms, spreadMs: ms * FIRST_SPREAD, answers: 1 };
  if (isFew) {
    const answers = usual.answers + 1;
    const mean = usual.ms + Math.max(1 / answers, 1 / CALM_WINDOW) * (ms - usual.ms);
    const spreadMs =
      usual.spreadMs + Math.max(1 / (answers + 4), 1 / 50) * (Math.abs(ms - mean) - usual.spreadMs);
    return { ...usual, ms: mean, spreadMs, answers };
  }
  const [busySumMs, busy] = [usual.busySumMs + ms, usual.busy + 1];
  if (busy < WINDOW) return { ...usual, busySumMs, busy };
  // What is faster with more in flight than it was with few was measured at a bad moment.
  const mean = busySumMs / busy;
  const isFaster = mean < usual.ms - (SURE_ERRORS * usual.spreadMs) / Math.sqrt(WINDOW);
  return { ...usual, ms: isFaster ? mean : usual.ms, busySumMs: 0, busy: 0 };
}

function slowerThanMs({ ms, spreadMs }: Usual): number {
  return ms * (1 + SLOWER) + SLOWER_MS + SPREADS * spreadMs;
}

function withSlowness(state: Concurrency, value: number): Concurrency {
  const answers = state.answers + 1;
  const slowness = state.slowness + Math.max(1 / answers, 1 / WINDOW) * (value - state.slowness);
  return { ...state, answers, slowness };
}

/** During a check nothing is decided; at its end the comparison begins anew. */
function afterCheck(state: Concurrency, { number, endedMs }: AnsweredAttempt): Concurrency {
  if (number < (state.checkFrom ?? 0) + CHECK_REQUESTS) return state;
  const checkEveryMs = Math.min(MAX_CHECK_MS, state.checkEveryMs * CHECK_GROWTH);
  const slowness = Math.min(state.slowness, 1);
  return {
    ...state,
    slowness,
    answers: 0,
    checkFrom: undefined,
    checkAtMs: endedMs + checkEveryMs,
    checkEveryMs,
  };
}

function adapt(state: Concurrency, attempt: AnsweredAttempt, max: number): Concurrency {
  const { slowness, answers, checkAtMs = attempt.endedMs + FIRST_CHECK_MS } = state;
  const isFull = attempt.inFlight >= Math.floor(state.allowed);
  const isSlow = state.isStarting && slowness > 2 && answers >= 16;
  let { allowed } = state;
  if (isSlow) allowed /= 2;
  else if (state.isStarting) allowed += isFull ? 1 : 0;
  else if (isFull || slowness > 1) allowed *= Math.exp(GAIN * Math.max(-2, Math.min(2, 1 - slowness)));
  allowed = Math.min(max, Math.max(1, allowed));
  const isCheckDue = attempt.endedMs >= checkAtMs && allowed >= 2;
  return {
    ...state,
    allowed,
    isStarting: state.isStarting && !isSlow && allowed < max,
    checkAtMs,
    checkFrom: isCheckDue ? attempt.lastStarted : undefined,
  };
}
