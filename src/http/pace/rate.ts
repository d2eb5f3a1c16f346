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
/** Added by each answer where the limit is known: a share; and so much, whoever asks, so that those who share a limit come to like parts of it, but little of a low rate. */
const ADDED = 0.01;
const ADDED_SHARE = 0.0007;
/** Added by each answer where it is not. */
const SEARCH_ADDED = 1;
const SEARCH_ADDED_SHARE = 0.25;
/** A refusal that comes sooner after the one before it than so many answers tells no limit. */
const FEW_ANSWERS = 5;
/** Where so much more is taken than the limit that was found, it is none any more. */
const OUTGROWN = 1.25;
/** Nothing is slower: a known limit, and a server that lets nothing through at the moment. */
const MIN_PER_SECOND = 0.1;
const MIN_UNANSWERED = 1;
/** Starts that came late are made up for if they are not later than this. */
const CATCH_UP_MS = 20;

type Before = { readonly perSecond: number; readonly limit: number | undefined };

export class Rate {
  readonly #max: number;
  perSecond: number;
  /** What the server takes per second; undefined where it was not seen to refuse more. */
  limit: number | undefined;
  /** Slow start ends here: each answer doubles what is less. */
  #threshold = 0;
  /** Before the decreases without an answer between; undefined after an answer. */
  #before: Before | undefined;
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
    if (!waited || this.perSecond >= this.#max) return;
    this.#answers++;
    const share = ADDED_SHARE * this.perSecond;
    const added =
      this.limit === undefined
        ? Math.min(SEARCH_ADDED, SEARCH_ADDED_SHARE * this.perSecond)
        : share + Math.min(ADDED, 2 * share);
    this.perSecond =
      this.perSecond < this.#threshold
        ? Math.min(this.#threshold, this.perSecond * 2)
        : Math.min(this.#max, this.perSecond + added);
    const isOutgrown = this.perSecond > OUTGROWN * (this.limit ?? Infinity);
    if (isOutgrown || this.perSecond === this.#max) this.limit = undefined;
  }

  /** A request was refused because there were too many. Refusals of one round trip count once. */
  refused({ startedMs, endedMs }: PacedAttempt): void {
    if (startedMs < this.#decreasedAtMs) return;
    if (this.#before === undefined) this.#decrease();
    else this.#halve(this.#before);
    this.#answers = 0;
    this.#decreasedAtMs = endedMs;
    this.nextAtMs = Math.max(this.nextAtMs, endedMs + 1000 / this.perSecond);
  }

  #decrease(): void {
    this.#before = { perSecond: Math.max(this.perSecond, this.#threshold), limit: this.limit };
    // One refusal alone may be a mistake: whether there is a limit shows when the next one comes.
    if (this.#answers >= FEW_ANSWERS && this.perSecond < this.#max) this.limit = this.perSecond;
    const left = this.limit === undefined ? LEFT_OF_UNKNOWN : LEFT;
    this.perSecond = Math.max(MIN_PER_SECOND, this.perSecond * left);
    this.#threshold = this.perSecond;
  }

  /** Refused again without an answer between: once nothing is let through, what was known before holds after it. */
  #halve({ perSecond, limit }: Before): void {
    this.perSecond = Math.max(Math.min(this.perSecond, MIN_UNANSWERED), this.perSecond / 2);
    if (this.isBlocked) [this.limit, this.#threshold] = [limit, LEFT * perSecond];
  }
}
