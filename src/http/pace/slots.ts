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
  /** Requests in flight as it ended, itself included. */
  readonly inFlight: number;
};

/** Allowed before anything is known. */
const FIRST_ALLOWED = 2;
/** Answers in a round after slow start, in which a round is a round trip: what few of them take is chance. */
const ROUND = 64;
/** The median hardly shows that every third request waits. */
const MOST = 0.75;
/** The least time is that of so many rounds: a shop that has become slower is soon as fast as ever. */
const LATE_ROUNDS = 10;
/** Clearly more, in slow start and later; and enough to be noticed. */
const SLOWER_AT_START = 2;
const SLOWER = 1.25;
const UNNOTICED_MS = 25;
/** Left after a round that was slower, and after a failure, or twice too many. */
const LEFT = 0.75;
const HALF = 0.5;

/** Of one kind of request, in milliseconds. */
type Rounds = { times: number[]; latest: number[] };

export class Slots {
  readonly #max: number;
  #allowed: number;
  /** Slow start ends here. */
  #threshold: number;
  /** Why fewer are allowed than could be; undefined as long as nothing speaks against more. */
  heldBackBy: 'slowness' | 'failures' | undefined;
  /** An attempt that started before the last change says nothing about the present limit; one before the last decrease causes no other. */
  #changedAtMs = -Infinity;
  #decreasedAtMs = -Infinity;
  readonly #kinds = new Map<string, Rounds>();

  /** @param found the limit at the end of an earlier run that the shop's slowness had reduced */
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
    if (startedMs < this.#changedAtMs || inFlight < this.allowed) return;
    const rounds = this.#kinds.get(kind) ?? { times: [], latest: [] };
    this.#kinds.set(kind, rounds);
    rounds.times.push(endedMs - startedMs);
    const isSlowStart = this.#allowed < this.#threshold;
    if (rounds.times.length < (isSlowStart ? this.allowed : ROUND)) return;
    const ms = timeOfMost(rounds.times);
    const least = Math.min(ms, ...rounds.latest);
    rounds.times = [];
    if (!isLate) rounds.latest = [...rounds.latest, ms].slice(-LATE_ROUNDS);
    const slowMs = Math.max(UNNOTICED_MS, least * (isSlowStart ? SLOWER_AT_START : SLOWER));
    if (!isLate && ms > slowMs) return this.#decrease('slowness', isSlowStart ? HALF : LEFT, endedMs);
    this.#allowed = isSlowStart
      ? Math.min(this.#threshold, this.#allowed * 2)
      : Math.min(this.#max, this.#allowed + 1);
    if (this.#allowed === this.#max) this.heldBackBy = undefined;
    if (isSlowStart) this.#begin(endedMs);
  }

  failed({ startedMs, endedMs }: Pick<AnsweredAttempt, 'startedMs' | 'endedMs'>): void {
    if (startedMs >= this.#decreasedAtMs) this.#decrease('failures', HALF, endedMs);
  }

  #decrease(by: 'slowness' | 'failures', left: number, nowMs: number): void {
    this.#allowed = Math.max(1, this.#allowed * left);
    this.#threshold = this.#allowed;
    this.heldBackBy = by;
    this.#decreasedAtMs = nowMs;
    this.#begin(nowMs);
  }

  #begin(nowMs: number): void {
    this.#changedAtMs = nowMs;
    for (const rounds of this.#kinds.values()) rounds.times = [];
  }
}

function timeOfMost(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(MOST * (times.length - 1))] ?? 0;
}
