/** How old an answer is: a cache before the shop may answer with what the shop said a while ago. */

/** What is older says nothing of now. Answers take up to half a minute to arrive, and clocks differ by seconds. */
const MAX_AGE_MS = 60_000;

/** What an answer says of its age, and when it came. */
export type AgeSigns = {
  readonly age: string | null;
  readonly date: string | null;
  readonly at: Temporal.Instant;
};

/** Asks the shop what was never asked before, so that no cache holds the answer. */
type AskUncached = (signal: AbortSignal | undefined) => Promise<AgeSigns>;

/** Tells old answers by `Age`, and by `Date` against the clock of the shop, which may be wrong. */
export class AnswerAges {
  readonly #askUncached: AskUncached;
  /** By how much the shop's clock is ahead of this machine's, as far as is known. */
  #aheadMs = 0;
  #measuring: { readonly atMs: number; readonly done: Promise<void> } | undefined;

  constructor(askUncached: AskUncached) {
    this.#askUncached = askUncached;
  }

  /**
   * Measures the shop's clock where that may be what makes an answer look old.
   *
   * @param what such as `a list`
   * @returns a sentence that says how old it is; undefined where it is of now
   * @throws what `askUncached` throws
   */
  async explain(signs: AgeSigns, what: string, signal?: AbortSignal): Promise<string | undefined> {
    const { ageMs, aheadMs } = parseSigns(signs);
    if (ageMs <= MAX_AGE_MS && aheadMs !== undefined) {
      this.#aheadMs = Math.max(this.#aheadMs, aheadMs + ageMs);
      if (this.#aheadMs - aheadMs > MAX_AGE_MS) await this.#measure(signs.at.epochMilliseconds, signal);
    }
    return this.describe(signs, what);
  }

  /** The same by what is known of the shop's clock so far. */
  describe(signs: AgeSigns, what: string): string | undefined {
    const { ageMs, aheadMs = this.#aheadMs } = parseSigns(signs);
    const isByAge = ageMs > MAX_AGE_MS;
    const ms = isByAge ? ageMs : this.#aheadMs - aheadMs;
    if (ms <= MAX_AGE_MS) return undefined;
    const sign = isByAge
      ? `Age: ${ageMs / 1000}`
      : `Date: ${signs.at.add({ milliseconds: aheadMs }).toString()}`;
    return `a cache before the shop answered with ${what} that is ${durationText(ms)} old (${sign})`;
  }

  /** At most once a minute: a clock that stands still differs by more each time. */
  async #measure(nowMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#measuring === undefined || nowMs - this.#measuring.atMs >= MAX_AGE_MS) {
      const learn = async () => {
        const { ageMs, aheadMs } = parseSigns(await this.#askUncached(signal));
        if (aheadMs !== undefined) this.#aheadMs = aheadMs + ageMs;
      };
      this.#measuring = { atMs: nowMs, done: learn() };
    }
    try {
      await this.#measuring.done;
    } catch (error) {
      this.#measuring = undefined;
      throw error;
    }
  }
}

/** @returns ageMs: 0 where there is no `Age`; aheadMs: how far `Date` is ahead of this machine's clock */
function parseSigns({ age, date, at }: AgeSigns) {
  const ageMs = Number(/^\s*(\d{1,9})/.exec(age ?? '')?.[1] ?? 0) * 1000;
  const dateMs = Date.parse(date ?? '');
  return { ageMs, aheadMs: Number.isNaN(dateMs) ? undefined : dateMs - at.epochMilliseconds };
}

function durationText(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
