/**
 * What the count and the sum of a list row say of the order's lines. The platform leaves it open, and each shop does it in one
 * way, which its own orders show; lines that contradict it are doubtful.
 */
import { LINE_RELATIONS, type LineFacts, type LineRelation } from '../../model/stored-order.ts';

export const MIN_ORDERS = 30;
/** An equal figure in every order, such as a count of 1, proves nothing. */
const MIN_VALUES = 3;
/** The part of the orders that may break a relation: staff edit sums by hand. */
const MAX_BROKEN = 0.02;
/** The same where orders may be older than the way in which the shop counts now, or were loaded with wrong contents. */
const MAX_EVER_BROKEN = 0.1;
/** So many orders that keep another relation instead, nearly all that break this one, show that the shop counts otherwise now. */
const MIN_CHANGED = 20;
const MOST = 0.9;

const isCount = (relation: LineRelation) => relation === 'lines' || relation === 'units';
const toCount = (text: string | null) => (text === null ? undefined : Number(text));
const toCents = (amount: string | null) => (amount === null ? undefined : Math.round(Number(amount) * 100));

/** What an order's figure is compared with; undefined: the relation says nothing of this order. */
function compare(
  relation: LineRelation,
  facts: LineFacts,
): { readonly said: number; readonly expected: number } | undefined {
  if (facts.line_count === 0) return undefined;
  const said = isCount(relation) ? toCount(facts.item_count) : toCents(facts.order_sum);
  const expected = EXPECTED[relation](facts);
  return said === undefined || expected === undefined ? undefined : { said, expected };
}

const EXPECTED: Readonly<Record<LineRelation, (facts: LineFacts) => number | undefined>> = {
  lines: (facts) => facts.line_count,
  units: (facts) => facts.quantity ?? undefined,
  total: (facts) => toCents(facts.lines_total),
  'total+delivery': (facts) => withDelivery(toCents(facts.lines_total), facts),
  discounted: discountedCents,
  'discounted+delivery': (facts) => withDelivery(discountedCents(facts), facts),
  list: (facts) => toCents(facts.list_total),
  'list+delivery': (facts) => withDelivery(toCents(facts.list_total), facts),
};

function withDelivery(cents: number | undefined, { delivery_price }: LineFacts): number | undefined {
  return cents === undefined ? undefined : cents + (toCents(delivery_price) ?? 0);
}

/** The lines' total less the discount of the whole order, where it can be read. */
function discountedCents(facts: LineFacts): number | undefined {
  const total = toCents(facts.lines_total);
  if (total === undefined || facts.discount_raw === null) return total;
  if (facts.discount_percent !== null)
    return Math.round((total * (100 - Number(facts.discount_percent))) / 100);
  const amount = Number(facts.discount_raw.replace(',', '.'));
  return Number.isNaN(amount) ? undefined : total - Math.round(amount * 100);
}

type Verdict = 'kept' | 'short' | 'long';

/** Whether an order's lines are what its list row says, fewer or more; each line may have been rounded. */
function judge(relation: LineRelation, facts: LineFacts): Verdict | undefined {
  const figures = compare(relation, facts);
  if (figures === undefined) return undefined;
  const less = figures.said - figures.expected;
  const tolerance = isCount(relation) ? 1e-6 : facts.line_count;
  return Math.abs(less) <= tolerance ? 'kept' : less > 0 ? 'short' : 'long';
}

/** Whether the lines break every relation that the shop is known to keep, of its count or of its sum. */
export function areLinesDoubtful(known: readonly LineRelation[], facts: LineFacts): boolean {
  return [true, false].some((ofCount) => {
    const verdicts = known.flatMap((relation) =>
      isCount(relation) === ofCount ? (judge(relation, facts) ?? []) : [],
    );
    return verdicts.length > 0 && verdicts.every((verdict) => verdict !== 'kept');
  });
}

/** Orders with one number of lines, by whether they keep a relation, and different figures of those that do. */
type Votes = Record<Verdict, number> & { readonly values: ReadonlySet<number> };

/** Counts how many orders keep each relation. */
export class LineTally {
  /** By number of lines. */
  readonly #votes = new Map<LineRelation, Map<number, Record<Verdict, number> & { values: Set<number> }>>();
  /** Orders that break the first relation and keep the second one, of the same figure. */
  readonly #instead = new Map<string, number>();

  add(orders: Iterable<LineFacts>): this {
    for (const facts of orders) {
      const verdicts = LINE_RELATIONS.map((relation) => ({ relation, verdict: judge(relation, facts) }));
      const kept = verdicts.flatMap(({ relation, verdict }) => (verdict === 'kept' ? [relation] : []));
      for (const { relation, verdict } of verdicts) {
        if (verdict === undefined) continue;
        this.#count(relation, verdict, facts);
        if (verdict === 'kept') continue;
        for (const other of kept.filter((other) => isCount(other) === isCount(relation))) {
          const key = `${relation} ${other}`;
          this.#instead.set(key, (this.#instead.get(key) ?? 0) + 1);
        }
      }
    }
    return this;
  }

  /**
   * The relations that the shop's orders show. One that was known stays until most orders break it, or those that do keep another one:
   * orders that a shop serves wrong for a while must not make it forgotten.
   */
  learn(known: readonly LineRelation[]): readonly LineRelation[] {
    const sure = LINE_RELATIONS.filter((relation) => this.#isKept(relation, MAX_BROKEN));
    const isSure = [true, false].map((ofCount) => sure.some((relation) => isCount(relation) === ofCount));
    return LINE_RELATIONS.filter(
      (relation) =>
        sure.includes(relation) ||
        (known.includes(relation) && !this.#isDropped(relation)) ||
        // Beside a better one of the same figure, it would only excuse lines that are wrong.
        (isSure[isCount(relation) ? 0 : 1] !== true && this.isUsual(relation)),
    );
  }

  /** Whether orders keep a relation, but for some that are old, or were loaded with wrong contents. */
  isUsual(relation: LineRelation): boolean {
    return this.#isKept(relation, MAX_EVER_BROKEN);
  }

  #count(relation: LineRelation, verdict: Verdict, facts: LineFacts): void {
    const byLines = this.#votes.get(relation) ?? new Map<number, Votes & { values: Set<number> }>();
    const votes = byLines.get(facts.line_count) ?? { kept: 0, short: 0, long: 0, values: new Set() };
    votes[verdict] += 1;
    const said = compare(relation, facts)?.said;
    if (verdict === 'kept' && said !== undefined && votes.values.size < MIN_VALUES) votes.values.add(said);
    this.#votes.set(relation, byLines.set(facts.line_count, votes));
  }

  #isKept(relation: LineRelation, maxBroken: number): boolean {
    const classes = [...(this.#votes.get(relation) ?? [])].map(([, votes]) => votes);
    if (isConvincing(classes, maxBroken)) return true;
    // A shop that cuts contents shows too few lines, in orders with as many lines as it leaves: these prove nothing.
    const [cut, ...others] = classes.toSorted((one, other) => other.short - one.short);
    return cut !== undefined && cut.long <= maxBroken * cut.short && isConvincing(others, maxBroken);
  }

  #isDropped(relation: LineRelation): boolean {
    const { kept, short, long } = addUp([...(this.#votes.get(relation)?.values() ?? [])]);
    const instead = LINE_RELATIONS.map((other) => this.#instead.get(`${relation} ${other}`) ?? 0);
    const most = Math.max(...instead);
    return kept < short + long || (most >= MIN_CHANGED && most >= MOST * (short + long));
  }
}

function addUp(classes: readonly Votes[]): Votes {
  return classes.reduce<Votes>(
    (sum, { kept, short, long, values }) => ({
      kept: sum.kept + kept,
      short: sum.short + short,
      long: sum.long + long,
      values: sum.values.union(values),
    }),
    { kept: 0, short: 0, long: 0, values: new Set() },
  );
}

function isConvincing(classes: readonly Votes[], maxBroken: number): boolean {
  const { kept, short, long, values } = addUp(classes);
  return kept >= MIN_ORDERS && values.size >= MIN_VALUES && short + long <= maxBroken * (kept + short + long);
}
