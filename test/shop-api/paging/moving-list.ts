/** A list that changes while it is read, and what it held at each moment. */
import type { ReadDay } from '../../../src/plan/days/day-progress.ts';
import type { FinalReading } from '../../../src/shop-api/paging/reading.ts';
import { isInWindow, type Window } from '../../../src/model/window.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';

type Whole = Extract<FinalReading, { kind: 'whole' }>;

export type Moving = {
  readonly orders: readonly FakeOrder[];
  readonly traits: FakeTraits;
  /** Of a hundred requests, before how many of them an order comes, goes or moves to another time. */
  readonly drift: number;
  readonly seed: number;
};

/** Then it stands still, so that reading it ends. */
export const MAX_CHANGES = 12;
const MAX_REQUESTS = 5000;
const EPOCH = Temporal.Instant.from('2026-03-20T00:00:00Z');

export class MovingList {
  readonly shop: FakeShop;
  /** What the list held, one state after each change. */
  readonly #states: (readonly FakeOrder[])[];
  readonly #random: Random;
  readonly #drift: number;
  #nextId = 5000;

  constructor({ orders, traits, drift, seed }: Moving) {
    this.#random = new Random('moving list', seed);
    this.#drift = drift;
    const before = () => this.#change();
    this.shop = new FakeShop(orders, { ...traits, seed, before, mostRequests: MAX_REQUESTS });
    this.#states = [this.shop.orders];
  }

  /** A clock that ticks with each change, so that a reading says which state it began with. */
  readonly now = (): Temporal.Instant => EPOCH.add({ seconds: this.#states.length - 1 });

  /** @returns what is wrong with a window that was read whole, just now */
  judge({ window, rows, omitted = [], requestedAt }: Whole): readonly string[] {
    const states = this.#states.slice(requestedAt.since(EPOCH).total('seconds'));
    const moments = states.map((orders) => idsIn(orders, window));
    // An order may change its time between the list of a window and that of what lies beyond it.
    const [first = []] = states;
    const isMoved = (order: FakeOrder) => states.some((state) => !isAmong(state, order));
    const moved = new Set(first.filter(isMoved).map(({ id }) => id));
    const always = moments.reduce((kept, ids) => kept.intersection(ids)).difference(moved);
    const ever = moments.reduce((all, ids) => all.union(ids));
    const read = new Set(rows.map(({ orderId }) => Number(orderId)));
    const known = read.union(new Set(omitted.map(({ orderId }) => Number(orderId))));
    return [
      ...[...always.difference(known)].map((id) => `${id} is lost`),
      ...[...read.difference(ever)].map((id) => `${id} was not there`),
      ...(read.size < rows.length ? ['an order came twice'] : []),
    ];
  }

  /**
   * @param read orders of all windows that were read whole until now
   * @returns what is wrong with a day of which every minute was read
   */
  judgeDay({ day, orders, verifiedAt }: ReadDay, read: ReadonlySet<number>): readonly string[] {
    const states = this.#states.slice(verifiedAt.since(EPOCH).total('seconds'));
    const [first = [], ...later] = states;
    const date = Temporal.PlainDate.from(day);
    const isOfDay = ({ created }: FakeOrder) => minuteOf(created).toPlainDate().equals(date);
    const unmoved = first.filter((order) => isOfDay(order) && later.every((state) => isAmong(state, order)));
    const lost = unmoved.filter(({ id }) => !read.has(id)).map(({ id }) => `${id} of ${day} is lost`);
    const isMiscounted = later.length === 0 && orders !== unmoved.length;
    return isMiscounted ? [...lost, `${day} holds ${unmoved.length}, not ${orders}`] : lost;
  }

  #change(): void {
    if (this.#states.length > MAX_CHANGES || !this.#random.chance(this.#drift / 100)) return;
    const { shop } = this;
    const one = shop.orders[this.#random.below(shop.orders.length)];
    const kind = this.#random.pick(['comes', 'goes', 'moves', 'is replaced']);
    if (one !== undefined && kind !== 'comes') shop.remove(one.id);
    const id = one !== undefined && kind === 'moves' ? one.id : this.#nextId++;
    if (kind !== 'goes') shop.insert({ id, created: this.#someTime() });
    this.#states.push(shop.orders);
  }

  /** Often the time of another order, or nearby, where it matters most. */
  #someTime(): number {
    const { orders } = this.shop;
    const other = orders[this.#random.below(orders.length)]?.created ?? secondsOf('2026-03-10T12:00');
    return other + this.#random.between(-90, 90);
  }
}

function isAmong(orders: readonly FakeOrder[], { id, created }: FakeOrder): boolean {
  return orders.some((order) => order.id === id && order.created === created);
}

function idsIn(orders: readonly FakeOrder[], window: Window): Set<number> {
  const isIn = ({ created, shown = created }: FakeOrder) => isInWindow(window, minuteOf(shown));
  return new Set(orders.filter(isIn).map(({ id }) => id));
}

const minutes = new Map<number, Temporal.PlainDateTime>();

function minuteOf(seconds: number): Temporal.PlainDateTime {
  const whole = Math.floor(seconds / 60);
  const known = minutes.get(whole);
  if (known !== undefined) return known;
  const time = Temporal.Instant.fromEpochMilliseconds(whole * 60_000)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime();
  minutes.set(whole, time);
  return time;
}
