/** Chance in answers that a run with the same seed meets again. */
import { Random } from '../shop/random.ts';

/** A simulator that runs for weeks forgets what was asked. */
const MAX_QUERIES = 100_000;

/** The nth request of one query has the same luck in every run, whatever else is in flight. */
export class RequestChance {
  readonly #seed: number;
  readonly #asked = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(query: string): Random {
    const count = (this.#asked.get(query) ?? 0) + 1;
    if (this.#asked.size >= MAX_QUERIES) this.#asked.clear();
    this.#asked.set(query, count);
    return new Random(this.#seed, 'request', query, count);
  }
}
