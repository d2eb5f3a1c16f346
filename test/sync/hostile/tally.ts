/** What many lives came to. */
import type { Story } from './run-life.ts';

/** A life that was lived to its end, or one in which the program broke. */
export type Ended = Story | { readonly broke: unknown };

/**
 * What went wrong in a life, if anything did. A day of which each order was read rightly, but which the shop never was at
 * one moment, is counted and no fault: it takes two changes of that day while it is read, which no reader of pages can
 * tell from none. A sweep that was ended after a thousand requests verified nothing wrong, and is counted as well.
 */
export function complaint(ended: Ended): string | undefined {
  if ('broke' in ended) return `the sweep broke: ${traceOf(ended.broke)}`;
  const { falseDays, falseWarranties, differing, contradictions } = ended;
  const wrong = falseDays.filter(({ kind }) => kind !== 'never at one moment');
  if (wrong.length > 0) return `verified, but not what the shop was: ${JSON.stringify(wrong)}`;
  if (falseWarranties.length > 0) return `all seemed proven: ${JSON.stringify(falseWarranties)}`;
  if (contradictions.length > 0) return contradictions.join('\n');
  if (differing.length > 0) return `the sane shop and its copy differ:\n${differing.join('\n')}`;
  return undefined;
}

function kindOf(ended: Ended): string {
  if ('broke' in ended) return 'broken';
  if (ended.falseDays.some(({ kind }) => kind !== 'never at one moment')) return 'false days';
  if (ended.falseWarranties.length > 0) return 'false warranties';
  if (ended.contradictions.length > 0) return 'contradictions';
  return 'unhealed';
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

export class Tally {
  lives = 0;
  sweeps = 0;
  crashes = 0;
  /** Sweeps that gave up in words of their own. */
  refusals = 0;
  endless = 0;
  requests = 0;
  /** Orders in the shops when all was over. */
  orders = 0;
  daysVerified = 0;
  /** Verified days of which an order was lost or too many, and those whose orders were never so at one moment. */
  falseDays = 0;
  skewedDays = 0;
  ordersLost = 0;
  ghosts = 0;
  /** Sweeps after which all days counted as verified, and days that were not the shop's all the same. */
  warranties = 0;
  falseWarranties = 0;
  /** Lives after which the sane shop and its copy differed, and those in which the program broke. */
  unhealed = 0;
  broken = 0;
  readonly #kinds = new Map<number, string>();

  /** Of the lives that went wrong, the lowest first. */
  get failedSeeds(): readonly number[] {
    return [...this.#kinds.keys()].toSorted((one, other) => one - other);
  }

  add(seed: number, ended: Ended): void {
    this.lives += 1;
    if ('broke' in ended) this.broken += 1;
    else this.#count(ended);
    if (complaint(ended) !== undefined) this.#kinds.set(seed, kindOf(ended));
  }

  /** For people: the figures, and the first lives to look at. */
  text(): string {
    const seeds = this.failedSeeds;
    const kinds = Object.entries(Object.groupBy(seeds, (seed) => this.#kinds.get(seed) ?? ''));
    const first = kinds.map(([kind, some]) => `${kind}: ${some?.slice(0, 5).join(' ')}`);
    return `${JSON.stringify(this)}, ${seeds.length} went wrong (${first.join('; ')})`;
  }

  #count(story: Story): void {
    this.sweeps += story.sweeps;
    this.crashes += story.crashes;
    this.refusals += story.refusals;
    this.endless += story.endless;
    this.requests += story.requests;
    this.orders += story.orders;
    this.daysVerified += story.daysVerified;
    this.warranties += story.warranties;
    this.falseWarranties += story.falseWarranties.length;
    for (const { kind, lost, ghosts } of story.falseDays) {
      if (kind === 'never at one moment') this.skewedDays += 1;
      else this.falseDays += 1;
      this.ordersLost += lost.length;
      this.ghosts += ghosts.length;
    }
    if (story.differing.length > 0) this.unhealed += 1;
  }
}
