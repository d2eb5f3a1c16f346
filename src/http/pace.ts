/** The one place that decides how many requests are in flight, and how many start in a second. */
import pLimit from 'p-limit';

import { REAL_CLOCK } from './clock.ts';
import { isLate } from './pace/late.ts';
import { Rate } from './pace/rate.ts';
import { Slots } from './pace/slots.ts';

export type PaceOptions = {
  /** Most requests in flight at once. */
  readonly maxConcurrency: number;
  /** Most starts per second; below 1 the pause between two starts grows accordingly. */
  readonly maxRps: number;
};

/** What the pace has come to. */
export type PaceState = {
  /** Requests that may be in flight now, and the fewest that ever might be. */
  readonly concurrency: number;
  readonly lowestConcurrency: number;
  /** What the shop takes per second; undefined where it was not seen to refuse more. */
  readonly foundRps: number | undefined;
  /** What keeps requests below what is allowed: the shop refuses more, answers more slowly, or fails. */
  readonly limitedBy: 'rate' | 'slowness' | 'failures' | undefined;
};

/** What an earlier run found out. */
export type FoundPace = {
  /** Requests per second that the shop took, where it refused more. */
  readonly rps: number | undefined;
  /** Requests in flight that it answered as fast as few. */
  readonly concurrency: number | undefined;
};

/** A request that has started. */
export type Started = { readonly startedMs: number; readonly waited: boolean };

/** What an attempt says about the pace: the shop answered, it refuses what is too much, it is overloaded; or nothing. */
export type Seen = 'answered' | 'refused' | 'failed' | 'nothing';

/** Gives each request of a shop its turn, and learns from how its attempts end. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #turns: ReturnType<typeof pLimit>;
  #rate: Rate;
  #slots: Slots;
  #inFlight = 0;
  #lowest: number;

  constructor(options: PaceOptions) {
    const { maxConcurrency, maxRps } = options;
    this.#options = options;
    this.#rate = new Rate(maxRps);
    this.#slots = new Slots(maxConcurrency);
    this.#lowest = this.#slots.allowed;
    this.#turns = pLimit(this.#lowest);
  }

  get state(): PaceState {
    const { allowed: concurrency, heldBackBy } = this.#slots;
    const { limit: foundRps } = this.#rate;
    const limitedBy = foundRps === undefined ? heldBackBy : 'rate';
    return { concurrency, lowestConcurrency: this.#lowest, foundRps, limitedBy };
  }

  /** Whether the shop currently refuses everything, so that its refusals are no rate limit. */
  get isBlocked(): boolean {
    return this.#rate.isBlocked;
  }

  /** Starts over with what an earlier run found. */
  resume({ rps, concurrency }: FoundPace): void {
    this.#rate = new Rate(this.#options.maxRps, rps);
    this.#slots = new Slots(this.#options.maxConcurrency, concurrency);
    this.#turns.concurrency = this.#slots.allowed;
  }

  /**
   * @param isShut called when the task's turn comes; where it returns true, the task is not run and uses no turn
   * @returns undefined where the task was not run
   * @throws the signal's reason where it is aborted before the task's turn comes; whatever the task throws
   */
  run<Result>(
    task: (started: Started) => Promise<Result>,
    signal?: AbortSignal,
    isShut = () => false,
  ): Promise<Result | undefined> {
    return this.#turns(async () => {
      for (let waited = false; ; waited = true) {
        signal?.throwIfAborted();
        // Checked after each wait: an unused turn must not slow others down.
        if (isShut()) return undefined;
        const startedMs = performance.now();
        // Whoever starts, and a refusal, puts it off for those who wait.
        const waitMs = this.#rate.nextAtMs - startedMs;
        if (waitMs > 0) {
          await REAL_CLOCK.sleep(Math.ceil(waitMs), signal);
          continue;
        }
        this.#rate.started(startedMs);
        this.#inFlight++;
        try {
          return await task({ startedMs, waited });
        } finally {
          this.#inFlight--;
        }
      }
    });
  }

  /** @param kind of the request, which is still in flight: some kinds take longer than others */
  record(kind: string, started: Started, seen: Seen): void {
    const attempt = { ...started, kind, endedMs: performance.now(), inFlight: this.#inFlight };
    if (seen === 'refused') this.#rate.refused(attempt);
    if (seen === 'failed') this.#slots.failed(attempt);
    if (seen === 'answered') {
      this.#rate.answered(attempt);
      this.#slots.answered(attempt, isLate());
    }
    const { allowed } = this.#slots;
    this.#lowest = Math.min(this.#lowest, allowed);
    if (this.#turns.concurrency !== allowed) this.#turns.concurrency = allowed;
  }
}
