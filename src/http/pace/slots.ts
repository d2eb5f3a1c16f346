/**
 * How many requests are in flight: additive increase, multiplicative decrease, with slow start.
 *
 * All is decided once a round of answers. Where three quarters of them do not come within clearly more than the least time of
 * late, requests waited in the shop, and so did its visitors. A failure counts once for all that were in flight together.
 */
export type AnsweredAttempt = {
  /** Requests of one kind take about as long. */
  readonly kind: string;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Requests in flight as it started, itself included. */
  readonly inFlight: number;
};

/** Allowed before anything is known. */
const FIRST_ALLOWED = 2;
/** Answers in a round, in slow start and later: what few of them take is chance. */
const FIRST_ROUND = 8;
const ROUND = 48;
/** The median hardly shows that every third request waits. */
const MOST = 0.75;
/** The least time is that of so many rounds: a shop that has become slower is soon as fast as ever. */
const LATE_ROUNDS = 10;
/** Clearly more: by a share, in slow start by a large one, and some milliseconds; and enough to be noticed. */
const SLOWER = 1.2;
const SLOWER_MS = 2;
const SLOWER_AT_START = 2;
const UNNOTICED_MS = 25;
/** Added after a round that was as fast as ever; left after one that was slower, and of twice too many. */
const ADDED = 0.5;
const LEFT = 0.9;
const HALF = 0.5;
/** After so many rounds in a row that were as fast as ever, slow start begins again. */
const FAST_AGAIN = 6;

/** Of one kind of request, in milliseconds. */
type Rounds = { times: number[]; latest: number[] };

export class Slots {
  readonly #max: number;
  #allowed: number;
  /** Slow start ends here. */
  #threshold: number;
  /** Why fewer are allowed than could be; undefined as long as nothing speaks against more. */
  heldBackBy: 'slowness' | 'failures' | undefined;
  /** What started before the last decision says nothing of what is allowed now. */
  #decidedAtMs = -Infinity;
  #failedAtMs = -Infinity;
  /** Rounds since the last decision that were as fast as ever. */
  #fastRounds = 0;
  readonly #kinds = new Map<string, Rounds>();

  /** @param found allowed when an earlier run ended, which was held back by slowness */
  constructor(max: number, found = max) {
    this.#max = max;
    this.#threshold = Math.min(max, found);
    this.#allowed = Math.min(this.#threshold, FIRST_ALLOWED);
    this.heldBackBy = found < max ? 'slowness' : undefined;
  }

  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** @param isLate whether this process was late itself: then what an answer took says nothing of the shop */
  answered({ kind, startedMs, endedMs, inFlight }: AnsweredAttempt, isLate: boolean): void {
    // Where less is in flight than is allowed, answers say nothing about more.
    if (startedMs < this.#decidedAtMs || inFlight < this.allowed) return;
    const rounds = this.#kinds.get(kind) ?? { times: [], latest: [] };
    this.#kinds.set(kind, rounds);
    rounds.times.push(endedMs - startedMs);
    const isSlowStart = this.#allowed < this.#threshold;
    if (rounds.times.length < (isSlowStart ? Math.max(FIRST_ROUND, this.allowed) : ROUND)) return;
    const ms = timeOfMost(rounds.times);
    const least = Math.min(ms, ...rounds.latest);
    rounds.times = [];
    if (!isLate) rounds.latest = [...rounds.latest, ms].slice(-LATE_ROUNDS);
    const slowMs = Math.max(UNNOTICED_MS, least * (isSlowStart ? SLOWER_AT_START : SLOWER) + SLOWER_MS);
    if (!isLate && ms > slowMs) return this.#decrease('slowness', isSlowStart ? HALF : LEFT, endedMs);
    this.#allowed = isSlowStart
      ? Math.min(this.#threshold, this.#allowed * 2)
      : Math.min(this.#max, this.#allowed + ADDED);
    if (this.#allowed === this.#max) this.heldBackBy = undefined;
    if (!isSlowStart && ++this.#fastRounds === FAST_AGAIN) this.#threshold = this.#max;
    if (isSlowStart) this.#begin(endedMs);
  }

  failed({ startedMs, endedMs }: Pick<AnsweredAttempt, 'startedMs' | 'endedMs'>): void {
    if (startedMs < this.#failedAtMs) return;
    this.#failedAtMs = endedMs;
    this.#decrease('failures', HALF, endedMs);
  }

  #decrease(by: 'slowness' | 'failures', left: number, nowMs: number): void {
    this.#allowed = Math.max(1, this.#allowed * left);
    this.#threshold = this.#allowed;
    this.heldBackBy = by;
    this.#fastRounds = 0;
    this.#begin(nowMs);
  }

  #begin(nowMs: number): void {
    this.#decidedAtMs = nowMs;
    for (const rounds of this.#kinds.values()) rounds.times = [];
  }
}

function timeOfMost(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(MOST * (times.length - 1))] ?? 0;
}
