/** Repeatable random numbers: the same keys give the same ones on every machine. */

export type RandomKey = number | string;

/** A small generator (a mixed 32-bit Weyl sequence): fine for a realistic shop, not for secrets. */
export class Random {
  #state: number;

  /** @param keys name the stream, as in `new Random(seed, 'order', 17)`; other keys give an unrelated stream */
  constructor(...keys: readonly RandomKey[]) {
    this.#state = keys.reduce<number>((state, key) => mix(Math.imul(state, 31) ^ keyBits(key)), 0x9e37);
  }

  /** A whole number in [0, 2^32). */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state) >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number in [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A whole number in [min, max]. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws RangeError when the list is empty */
  pick<Item>(list: readonly Item[]): Item {
    const index = this.below(list.length);
    const item = list[index];
    if (item === undefined) throw new RangeError('nothing to pick from: the list is empty');
    return item;
  }

  /** One of the items, with a probability proportional to its weight. */
  weighted<Item>(choices: readonly (readonly [Item, number])[]): Item {
    let left = this.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of choices) {
      left -= weight;
      if (left < 0) return item;
    }
    return this.pick(choices)[0];
  }

  /** Hexadecimal text that looks like a hash. */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.bits().toString(16).padStart(8, '0');
    return text.slice(0, length);
  }

  shuffled<Item>(list: readonly Item[]): Item[] {
    const keyed = list.map((item) => ({ item, key: this.bits() }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }
}

/** Bounds the memory of a simulator that runs for weeks. */
const MAX_QUERIES = 100_000;

/** The nth request of one query gets the same random numbers in every run, whatever else is in flight. */
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

function keyBits(key: RandomKey): number {
  if (typeof key === 'number') return mix(key | 0) ^ Math.floor(key / 2 ** 32);
  let bits = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    bits = Math.imul(bits ^ key.charCodeAt(index), 0x01000193);
  }
  return bits;
}

function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}
