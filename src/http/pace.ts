/** The one place that decides how many requests are in flight, and how many start in a second. */
import pLimit from 'p-limit';

import { isLate, REAL_CLOCK, unlessAborted } from './clock.ts';
import { Rate } from './pace/rate.ts';
import { Slots } from './pace/slots.ts';

/** The task was not run. */
export const SHUT = Symbol('shut');

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
export type Started = { readonly startedMs: number; readonly waited: boolean; readonly inFlight: number };

/** What an attempt says about the pace: the shop answered, it refuses what is too much, it is overloaded; or nothing. */
export type Seen = 'answered' | 'refused' | 'failed' | 'nothing';

/** With so few requests a run has found out nothing by itself. */
const FEW_STARTED = 8;

/** Gives each request of a shop its turn, and learns from how its attempts end. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #slots: ReturnType<typeof pLimit>;
  readonly #turns = pLimit(1);
  #rate: Rate;
  #inFlightAllowed: Slots;
  #started = 0;
  #inFlight = 0;
  #lowest: number;

  constructor(options: PaceOptions) {
    const { maxConcurrency, maxRps } = options;
    this.#options = options;
    this.#rate = new Rate(maxRps);
    this.#inFlightAllowed = new Slots(maxConcurrency);
    this.#lowest = this.#inFlightAllowed.allowed;
    this.#slots = pLimit(this.#lowest);
  }

  get state(): PaceState {
    const { allowed: concurrency, heldBackBy } = this.#inFlightAllowed;
    const { limit: foundRps } = this.#rate;
    const limitedBy = foundRps === undefined ? heldBackBy : 'rate';
    return { concurrency, lowestConcurrency: this.#lowest, foundRps, limitedBy };
  }

  /** Whether the shop lets nothing through at the moment: what it refuses is not too much, but all. */
  get isBlocked(): boolean {
    return this.#rate.isBlocked;
  }

  /** Goes on with what an earlier run found, unless this one has found out by itself. */
  resume({ rps, concurrency }: FoundPace): void {
    if (this.#started > FEW_STARTED) return;
    const { maxConcurrency, maxRps } = this.#options;
    this.#rate = new Rate(maxRps, rps);
    this.#inFlightAllowed = new Slots(maxConcurrency, concurrency);
    this.#slots.concurrency = this.#inFlightAllowed.allowed;
  }

  /**
   * @param isShut called when the task's turn comes; where it returns true, the task is not run and uses no turn
   * @throws the signal's reason where it is aborted before the task's turn comes; whatever the task throws
   */
  run<Result>(
    task: (started: Started) => Promise<Result>,
    signal?: AbortSignal,
    isShut = () => false,
  ): Promise<Result | typeof SHUT> {
    return this.#slots(async () => {
      signal?.throwIfAborted();
      if (isShut()) return SHUT;
      // Mostly nobody waits, and a request starts at once.
      const isFree = this.#turns.activeCount === 0 && this.#rate.nextAtMs <= performance.now();
      const turn = isFree ? this.#start(false) : await this.#waitForTurn(signal, isShut);
      if (turn === SHUT) return SHUT;
      try {
        return await task({ ...turn, inFlight: ++this.#inFlight });
      } finally {
        this.#inFlight--;
      }
    });
  }

  /** @param kind of the request: some kinds take longer than others */
  record(kind: string, started: Started, seen: Seen): void {
    const attempt = { ...started, kind, endedMs: performance.now() };
    if (seen === 'refused') this.#rate.refused(attempt);
    if (seen === 'failed') this.#inFlightAllowed.failed(attempt);
    if (seen === 'answered') {
      this.#rate.answered(attempt);
      this.#inFlightAllowed.answered(attempt, isLate());
    }
    const { allowed } = this.#inFlightAllowed;
    this.#lowest = Math.min(this.#lowest, allowed);
    if (this.#slots.concurrency !== allowed) this.#slots.concurrency = allowed;
  }

  #waitForTurn(signal: AbortSignal | undefined, isShut: () => boolean) {
    const turn = this.#turns(async () => {
      let waited = false;
      for (;;) {
        signal?.throwIfAborted();
        // Checked after the wait too: an unused turn must not slow others down.
        if (isShut()) return SHUT;
        // A refusal may have put it off meanwhile.
        const waitMs = this.#rate.nextAtMs - performance.now();
        if (waitMs <= 0) return this.#start(waited);
        await REAL_CLOCK.sleep(Math.ceil(waitMs), signal);
        waited = true;
      }
    });
    return unlessAborted(turn, signal);
  }

  #start(waited: boolean): Omit<Started, 'inFlight'> {
    const startedMs = performance.now();
    this.#started++;
    this.#rate.started(startedMs);
    return { startedMs, waited };
  }
}
