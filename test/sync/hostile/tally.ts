/** What many lives came to. */
import type { FalseDay } from './oracle.ts';
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
  const wrong = falseDays.filter((day) => !isSkewed(day));
  if (wrong.length > 0) return `verified, but not what the shop was: ${JSON.stringify(wrong)}`;
  if (falseWarranties.length > 0) return `all seemed proven: ${JSON.stringify(falseWarranties)}`;
  if (contradictions.length > 0) return contradictions.join('\n');
  if (differing.length > 0) return `the sane shop and its copy differ:\n${differing.join('\n')}`;
  return undefined;
}

function figuresOf(ended: Ended) {
  if ('broke' in ended) return { broken: 1 };
  const skewedDays = ended.falseDays.filter(isSkewed);
  return { ...ended, skewedDays, falseDays: ended.falseDays.filter((day) => !isSkewed(day)) };
}

const isSkewed = ({ kind }: FalseDay) => kind === 'never at one moment';

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

export class Tally {
  /** The figures of all lives together; of lists, how long they were. */
  readonly sums: Record<string, number> = { lives: 0, skewedDays: 0 };
  readonly #complaints = new Map<number, string>();

  /** Of the lives that went wrong, the lowest first. */
  get failedSeeds(): readonly number[] {
    return [...this.#complaints.keys()].toSorted((one, other) => one - other);
  }

  add(seed: number, ended: Ended): void {
    for (const [name, value] of Object.entries({ lives: 1, ...figuresOf(ended) }))
      this.sums[name] = (this.sums[name] ?? 0) + (typeof value === 'number' ? value : value.length);
    const said = complaint(ended);
    if (said !== undefined) this.#complaints.set(seed, said.split(':')[0] ?? '');
  }

  /** For people: the figures, and the first lives to look at. */
  text(): string {
    const seeds = this.failedSeeds;
    const kinds = Object.entries(Object.groupBy(seeds, (seed) => this.#complaints.get(seed) ?? ''));
    const first = kinds.map(([kind, some]) => `${kind}: ${some?.slice(0, 5).join(' ')}`);
    return `${JSON.stringify(this.sums)}, ${seeds.length} went wrong (${first.join('; ')})`;
  }
}
