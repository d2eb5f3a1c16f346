/** What the shop was at each moment, and whether what was verified is one of those. */
import { parseFilterTime, toPlain } from '../../../src/simulator/shop/shop-clock.ts';
import type { SimRequest } from '../../../src/simulator/api/request-log.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';

/** A verified day whose orders are not those that the shop had at any moment of its walk. */
export type FalseDay = {
  readonly day: string;
  /** In the shop all the while in this state, and not in the warehouse. */
  readonly lost: readonly string[];
  /** In the warehouse in a state in which the shop never held them all the while. */
  readonly ghosts: readonly string[];
  /** What was wrong where each order alone was right. */
  readonly kind: 'wrong' | 'never at one moment' | 'never asked for';
};

/** What `bi` shows of a day, with the verification that stands for it. */
export type ShownDay = {
  readonly day: string;
  readonly verifiedAt: string;
  readonly orders: ReadonlySet<string>;
};

/** Days in the span of a list request, as `2026-03-01`; an open end is undefined. */
type Asked = { readonly state: number; readonly from: string | undefined; readonly to: string | undefined };

/** An order in one of its states: `updated` advances with each change. */
export function keyOf(orderId: string | number, status: string, updated: string): string {
  return `${orderId} ${status} ${updated}`;
}

const dayTexts = new WeakMap<SimOrder, string>();

/** The day that the order's date names; the empty text where it has none. */
function dayOf(order: SimOrder): string {
  const known = dayTexts.get(order);
  if (known !== undefined) return known;
  const day = order.createdText === null ? order.createdLocal.toPlainDate().toString() : '';
  dayTexts.set(order, day);
  return day;
}

/** All states of a shop since it is looked at, and what the sweeps asked in each. */
export class Witness {
  readonly #shop: SimulatedShop;
  readonly #states: (readonly SimOrder[])[];
  readonly #asked: Asked[] = [];
  /** When each sweep began, and how many requests there had been until then. */
  readonly #sweeps: { readonly at: Temporal.Instant; readonly asked: number }[] = [];

  constructor(shop: SimulatedShop) {
    this.#shop = shop;
    this.#states = [shop.orders()];
  }

  /** To be told after each change of the shop. */
  changed(): void {
    this.#states.push(this.#shop.orders());
  }

  /** To be told of each sweep before it asks anything. */
  begins(at: Temporal.Instant): void {
    this.changed();
    this.#sweeps.push({ at, asked: this.#asked.length });
  }

  /** To be told of each request before it is answered, and after what changes the shop just before it. */
  asked({ route, query }: SimRequest): void {
    if (route !== 'orders') return;
    const state = this.#states.length - 1;
    this.#asked.push({ state, from: askedDay(query['date_from']), to: askedDay(query['date_to']) });
  }

  /**
   * Undefined where the warehouse's orders of a day that was just verified are the shop's, as they were at some moment
   * after the day was first asked for by the sweep that its verification names.
   *
   * @param stored keys of the orders
   */
  judge(day: string, stored: ReadonlySet<string>, verifiedAt?: Temporal.Instant): FalseDay | undefined {
    const sweep = this.#sweeps.findLast(
      ({ at }) => verifiedAt && Temporal.Instant.compare(at, verifiedAt) <= 0,
    );
    const first = this.#asked.slice(sweep?.asked).find(({ from = '', to = '9' }) => from <= day && day <= to);
    if (first === undefined) return { day, lost: [], ghosts: [], kind: 'never asked for' };
    const moments = this.#states.slice(first.state).map((orders) => keysOf(orders, day));
    if (moments.some((keys) => keys.symmetricDifference(stored).size === 0)) return undefined;
    const always = moments.reduce((kept, keys) => kept.intersection(keys));
    const ever = moments.reduce((all, keys) => all.union(keys));
    const lost = [...always.difference(stored)];
    const ghosts = [...stored].filter((key) => !ever.has(key));
    const kind = lost.length + ghosts.length > 0 ? 'wrong' : 'never at one moment';
    return { day, lost, ghosts, kind };
  }

  /**
   * The days of which an order is shown in a state that the shop never held since the day was verified, or is not shown
   * though the shop has held it all the while; also days that are not shown at all.
   */
  judgeAll(shown: readonly ShownDay[]): readonly FalseDay[] {
    const [today = ''] = shown
      .map(({ day }) => day)
      .toSorted()
      .slice(-1);
    const known = new Map(shown.map((each) => [each.day, each]));
    const days = new Set([...known.keys(), ...this.#states.flatMap((orders) => [...daysOf(orders)])]);
    return [...days].toSorted().flatMap((day) => {
      const stands = known.get(day) ?? shown.find((later) => later.day > day);
      if (stands === undefined || day > today) return [];
      const verifiedAt = Temporal.Instant.from(stands.verifiedAt);
      const judged = this.judge(day, known.get(day)?.orders ?? new Set(), verifiedAt);
      return judged?.kind === 'wrong' ? [judged] : [];
    });
  }
}

/** The days of a list of orders. */
const daysOf = (orders: readonly SimOrder[]) => new Set(orders.map(dayOf).filter((day) => day !== ''));

function keysOf(orders: readonly SimOrder[], day: string): Set<string> {
  return new Set(orders.filter((order) => dayOf(order) === day).map(keyOfOrder));
}

function keyOfOrder({ orderId, status, updatedLocal }: SimOrder): string {
  return keyOf(orderId, status, updatedLocal.toString({ smallestUnit: 'second' }));
}

function askedDay(text: string | undefined): string | undefined {
  const seconds = text === undefined ? undefined : parseFilterTime(text);
  return seconds === undefined ? undefined : toPlain(seconds).toPlainDate().toString();
}
