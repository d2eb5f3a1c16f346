/**
 * How many requests start in a second: additive increase, multiplicative decrease, with slow start.
 *
 * A server that refuses what is too much has a bucket of tokens, which is empty whenever it refuses. So between two
 * refusals it accepts exactly what its limit allows in that time, and what was accepted is the measure of the decrease.
 */
export type PacedAttempt = {
  /** Attempts are counted from 1. */
  readonly number: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Whether it waited for the rate, and not only for a free slot. */
  readonly waited: boolean;
};

/** Left of the limit after a refusal, after one that comes soon again, and of what was asked for where no limit is known. */
const [LEFT, LEFT_IF_SOON, LEFT_OF_UNKNOWN] = [0.9, 0.75, 0.5];
/** Added by each answer where the limit is known: so much, whoever asks, so that those who share a limit come to like parts of it, but little of a low rate; and a share. */
const [ADDED, ADDED_SHARE, ADDED_AT_MOST] = [0.01, 0.001, 2];
/** Added by each answer where it is not: a share, up to so much. */
const [SEARCH_ADDED, SEARCH_ADDED_SHARE] = [1, 0.25];
/** After so many decreases without an answer between, nothing is let through: that is no limit. */
const UNANSWERED = 4;
/** So many accepted requests are a measure, of which the latest count. */
const [MIN_ACCEPTED, MAX_ACCEPTED] = [5, 10];
/** Where so much more is taken than the limit that was found, it is none any more. */
const OUTGROWN = 1.25;
/** Nothing is slower: a known limit, and a server that lets nothing through at the moment. */
const [MIN_PER_SECOND, MIN_UNANSWERED] = [0.1, 1];
/** Starts that came late are made up for if they are not later than this. */
const CATCH_UP_MS = 20;

export class Rate {
  readonly #max: number;
  #perSecond: number;
  /** Requests per second that the server takes; undefined as long as that is not known. */
  #limit: number | undefined;
  /** Slow start ends here: each answer doubles what is less. */
  #threshold = 0;
  /** Before the decreases in a row. */
  #before: { readonly perSecond: number; readonly limit: number | undefined };
  /** No request starts before, in milliseconds of the clock. */
  nextAtMs = -Infinity;
  #lastStartMs = -Infinity;
  /** When the latest accepted requests since the last decrease started. */
  #accepted: number[] = [];
  /** Attempts up to this number started before the last decrease, which took their refusals into account. */
  #decreasedAfter = 0;
  /** Decreases without an answer between. */
  #inRow = 0;

  /** @param found what the server took per second in an earlier run */
  constructor(max: number, found = max) {
    this.#max = max;
    this.#perSecond = Math.min(max, found);
    this.#limit = found < max ? found : undefined;
    this.#before = { perSecond: this.#perSecond, limit: this.#limit };
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** What the server takes per second; undefined where it was not seen to refuse more. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Decreases without an answer between: nothing is let through. */
  get inRow(): number {
    return this.#inRow;
  }

  /** A request started. In no second there are more than the maximum, late ones included. */
  started(nowMs: number): void {
    this.#lastStartMs = nowMs - this.nextAtMs > CATCH_UP_MS ? nowMs : this.nextAtMs;
    this.nextAtMs = this.#lastStartMs + this.#spaceMs;
  }

  /** From one start to the next, in milliseconds. */
  get #spaceMs(): number {
    return Math.max(1000 / this.#perSecond, (1000 + CATCH_UP_MS) / this.#max);
  }

  /** A request was not refused: the rate grows, if it is what the request waited for. */
  answered({ number, startedMs, waited }: PacedAttempt): void {
    if (number <= this.#decreasedAfter) return;
    const wasUnanswered = this.#inRow >= UNANSWERED;
    this.#inRow = 0;
    // Where a request did not wait, less was asked for than is taken.
    this.#accepted = waited ? [...this.#accepted, startedMs].slice(-MAX_ACCEPTED) : [];
    if (!waited || this.#perSecond >= this.#max) return;
    const share = ADDED_SHARE * this.#perSecond;
    const added =
      this.#limit === undefined
        ? Math.min(SEARCH_ADDED, SEARCH_ADDED_SHARE * this.#perSecond)
        : share + Math.min(ADDED, ADDED_AT_MOST * share);
    this.#perSecond =
      this.#perSecond < this.#threshold
        ? Math.min(this.#threshold, this.#perSecond * 2)
        : Math.min(this.#max, this.#perSecond + added);
    if (this.#limit !== undefined && this.#perSecond > OUTGROWN * this.#limit) this.#limit = undefined;
    if (this.#perSecond === this.#max) this.#limit = undefined;
    // The next start was planned while nothing was let through.
    if (wasUnanswered) this.nextAtMs = Math.min(this.nextAtMs, this.#lastStartMs + this.#spaceMs);
  }

  /** A request was refused because there were too many. Refusals of one round trip count once. */
  refused({ number, endedMs }: PacedAttempt, lastStarted: number): void {
    if (number <= this.#decreasedAfter) return;
    if (this.#inRow++ === 0) this.#decrease();
    else
      this.#perSecond = Math.max(
        Math.min(this.#perSecond, MIN_UNANSWERED),
        this.#perSecond * LEFT_OF_UNKNOWN,
      );
    if (this.#inRow === UNANSWERED) {
      this.#limit = this.#before.limit;
      this.#threshold = LEFT * this.#before.perSecond;
    }
    this.#accepted = [];
    this.#decreasedAfter = lastStarted;
    this.nextAtMs = Math.max(this.nextAtMs, endedMs + 1000 / this.#perSecond);
  }

  #decrease(): void {
    const isFirst = this.#perSecond === this.#max;
    this.#before = { perSecond: Math.max(this.#perSecond, this.#threshold), limit: this.#limit };
    const accepted = this.#acceptedPerSecond();
    // One refusal alone may be a mistake: whether there is a limit shows when the next one comes.
    if (accepted !== undefined && !isFirst) this.#limit = Math.min(this.#perSecond, accepted);
    const most = Math.min(this.#perSecond, this.#limit ?? accepted ?? Infinity);
    const left = accepted === undefined ? LEFT_IF_SOON : LEFT;
    this.#perSecond = Math.max(MIN_PER_SECOND, most * (this.#limit === undefined ? LEFT_OF_UNKNOWN : left));
    this.#threshold = this.#perSecond;
  }

  /** Of late; undefined where too few were accepted since the last decrease. */
  #acceptedPerSecond(): number | undefined {
    const [first, last] = [this.#accepted[0], this.#accepted.at(-1)];
    if (first === undefined || last === undefined || this.#accepted.length < MIN_ACCEPTED) return undefined;
    return ((this.#accepted.length - 1) * 1000) / Math.max(1, last - first);
  }
}
