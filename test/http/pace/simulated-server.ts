/** A server in simulated time, and clients that ask it as the pace allows: pure, and the same for the same seed. */
import { Rate } from '../../../src/http/pace/rate.ts';
import { Slots } from '../../../src/http/pace/slots.ts';

type Event = { readonly atMs: number; readonly act: () => void };

/** What happens, in order of time. */
export class Timeline {
  nowMs = 0;
  /** Latest first. */
  readonly #events: Event[] = [];

  in(ms: number, act: () => void): void {
    const atMs = this.nowMs + ms;
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.atMs ?? 0) <= atMs) index--;
    this.#events.splice(index, 0, { atMs, act });
  }

  runTo(ms: number): void {
    for (let next = this.#events.at(-1); next && next.atMs <= ms; next = this.#events.at(-1)) {
      this.#events.pop();
      this.nowMs = next.atMs;
      next.act();
    }
    this.nowMs = ms;
  }
}

/** Numbers from 0 up to 1. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** As nginx' limit_req with nodelay: a bucket that leaks at a rate, and refuses what would make it overflow. */
export class LeakyBucket {
  rate: number;
  readonly #burst: number;
  #excess = 0;
  #atMs = 0;

  constructor(rate: number, burst: number) {
    this.rate = rate;
    this.#burst = burst;
  }

  takes(nowMs: number): boolean {
    const excess = Math.max(0, this.#excess - (this.rate * (nowMs - this.#atMs)) / 1000);
    if (excess > this.#burst) return false;
    [this.#excess, this.#atMs] = [excess + 1, nowMs];
    return true;
  }
}

/** Workers that serve one request each, first come, first served. */
export class Workers {
  readonly #time: Timeline;
  readonly #count: number;
  readonly #queue: (() => void)[] = [];
  #busy = 0;

  constructor(time: Timeline, count: number) {
    [this.#time, this.#count] = [time, count];
  }

  serve(ms: number, done: () => void): void {
    const begin = () => {
      this.#busy++;
      this.#time.in(ms, () => {
        this.#busy--;
        this.#queue.shift()?.();
        done();
      });
    };
    if (this.#busy < this.#count) begin();
    else this.#queue.push(begin);
  }
}

export type Answer = 'answered' | 'refused' | 'failed';

export type ClientOptions = {
  readonly maxConcurrency: number;
  readonly maxRps: number;
  /** What the server answers, and when. */
  readonly ask: (done: (answer: Answer) => void) => void;
};

/** A client that always has something to ask, counts what it is answered, and remembers how its pace went. */
export class SimulatedClient {
  readonly counts = { answered: 0, refused: 0, failed: 0 };
  readonly rates: { readonly atMs: number; readonly perSecond: number }[] = [];
  readonly allowed: { readonly atMs: number; readonly value: number }[] = [];
  rate: Rate;
  slots: Slots;
  readonly #time: Timeline;
  readonly #options: ClientOptions;
  #started = 0;
  #inFlight = 0;
  #timerAtMs = -1;

  constructor(time: Timeline, options: ClientOptions) {
    [this.#time, this.#options] = [time, options];
    this.rate = new Rate(options.maxRps);
    this.slots = new Slots(options.maxConcurrency);
    time.in(0, () => this.#startAll(false));
  }

  #startAll(waited: boolean): void {
    for (; this.#inFlight < this.slots.allowed; waited = false) {
      const { nextAtMs } = this.rate;
      if (nextAtMs > this.#time.nowMs) {
        // Timers fire late.
        const lateMs = 2 * ((this.#started * 0.37) % 1);
        const inMs = nextAtMs - this.#time.nowMs + lateMs;
        if (this.#timerAtMs !== nextAtMs) this.#time.in(inMs, () => this.#wake(nextAtMs));
        this.#timerAtMs = nextAtMs;
        return;
      }
      this.#start(waited);
    }
  }

  #wake(atMs: number): void {
    if (this.#timerAtMs === atMs) this.#startAll(true);
  }

  #start(waited: boolean): void {
    const startedMs = this.#time.nowMs;
    this.rate.started(startedMs);
    this.#started++;
    this.#inFlight++;
    this.#options.ask((answer) => {
      const inFlight = this.#inFlight--;
      this.counts[answer]++;
      const endedMs = this.#time.nowMs;
      const attempt = { inFlight, waited, startedMs, endedMs, kind: 'content' };
      if (answer === 'refused') this.rate.refused(attempt);
      else this.rate.answered(attempt);
      if (answer === 'answered') this.slots.answered(attempt, false);
      if (answer === 'failed') this.slots.failed(attempt);
      this.rates.push({ atMs: endedMs, perSecond: this.rate.perSecond });
      this.allowed.push({ atMs: endedMs, value: this.slots.allowed });
      this.#startAll(false);
    });
  }
}
