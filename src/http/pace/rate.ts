/** How many requests start in a second: additive increase, multiplicative decrease, with slow start. */
export type PacedAttempt = {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Whether it waited for the rate, and not only for a free slot. */
  readonly waited: boolean;
};

/** Left of the limit after a refusal, and of what was asked for where no limit is known. */
const LEFT = 0.85;
const LEFT_OF_UNKNOWN = 0.5;
/** Added by each answer where the limit is known, but little of a low one; where it is not, a share. */
const ADDED = 0.01;
const ADDED_SHARE = 0.002;
const SEARCH_SHARE = 0.05;
/** A refusal shows a rate limit only after this many answers since the previous refusal. */
const FEW_ANSWERS = 5;
/** Nothing is slower: a known limit, and a server that lets nothing through at the moment. */
const MIN_PER_SECOND = 0.1;
const MIN_UNANSWERED = 1;
/** Starts that came late are made up for if they are not later than this. */
const CATCH_UP_MS = 20;

export class Rate {
  readonly #max: number;
  perSecond: number;
  /** What the server takes per second; undefined where it was not seen to refuse more. */
  limit: number | undefined;
  /** Slow start ends here: each answer doubles what is less. */
  #threshold = 0;
  /** Before the decreases without an answer between; undefined after an answer. */
  #before: { readonly perSecond: number; readonly limit: number | undefined } | undefined;
  /** No request starts before. */
  nextAtMs = -Infinity;
  /** Since the last decrease, to requests that waited for the rate. */
  #answers = 0;
  /** What started before the last decrease was taken into account by it. */
  #decreasedAtMs = -Infinity;

  /** @param found what the server took per second in an earlier run */
  constructor(max: number, found = max) {
    this.#max = max;
    this.perSecond = Math.min(max, found);
    this.limit = found < max ? found : undefined;
  }

  /** Whether nothing is let through, however little is asked: that is no limit. */
  get isBlocked(): boolean {
    return this.#before !== undefined && this.perSecond <= MIN_UNANSWERED;
  }

  /** A request started. In no second there are more than the maximum, late ones included. */
  started(nowMs: number): void {
    const fromMs = nowMs - this.nextAtMs > CATCH_UP_MS ? nowMs : this.nextAtMs;
    this.nextAtMs = fromMs + Math.max(1000 / this.perSecond, (1000 + CATCH_UP_MS) / this.#max);
  }

  /** A request was not refused: the rate grows, if it is what the request waited for. */
  answered({ startedMs, waited }: PacedAttempt): void {
    if (startedMs < this.#decreasedAtMs) return;
    this.#before = undefined;
    // Where a request did not wait, less was asked for than is taken.
    if (!waited) return;
    this.#answers++;
    const isSlowStart = this.perSecond < this.#threshold;
    const added =
      this.limit === undefined
        ? SEARCH_SHARE * this.perSecond
        : Math.min(ADDED, ADDED_SHARE * this.perSecond);
    this.perSecond = isSlowStart
      ? Math.min(this.#threshold, 2 * this.perSecond)
      : Math.min(this.#max, this.perSecond + added);
    if (this.perSecond === this.#max) this.limit = undefined;
  }

  /** A request was refused because there were too many. Refusals of one round trip count once. */
  refused({ startedMs, endedMs }: PacedAttempt): void {
    if (startedMs < this.#decreasedAtMs) return;
    const { perSecond, limit } = (this.#before ??= {
      perSecond: Math.max(this.perSecond, this.#threshold),
      limit: this.limit,
    });
    // One refusal alone may be a mistake: whether there is a limit shows when the next one comes.
    if (this.#answers >= FEW_ANSWERS && this.perSecond < this.#max) this.limit = this.perSecond;
    const isAgain = this.#answers === 0;
    const left = this.limit === undefined || isAgain ? LEFT_OF_UNKNOWN : LEFT;
    const least = Math.min(this.perSecond, isAgain ? MIN_UNANSWERED : MIN_PER_SECOND);
    this.perSecond = Math.max(least, left * this.perSecond);
    this.#threshold = this.perSecond;
    // Once nothing is let through, what was known before holds after it.
    if (this.isBlocked) [this.limit, this.#threshold] = [limit, LEFT * perSecond];
    this.#answers = 0;
    this.#decreasedAtMs = endedMs;
    this.nextAtMs = Math.max(this.nextAtMs, endedMs + 1000 / this.perSecond);
  }
}
