/** The shop's orders, sorted by creation time, and by id. */
import { type LocalSeconds, toSeconds } from './shop-clock.ts';
import { Random } from './random.ts';
import type { SimOrder } from './sim-order.ts';

/** What a list sorts and filters its rows by. */
export type Listed = {
  readonly id: number;
  /** -Infinity for an order without a date. */
  readonly created: LocalSeconds;
  readonly updated: LocalSeconds;
  /** Sorts in an arbitrary, yet repeatable order. */
  readonly scramble: number;
};

export type StoredOrder = Listed & { readonly order: SimOrder };

export class OrderStore {
  readonly #sorted: StoredOrder[];
  readonly #byId: Map<number, StoredOrder>;
  #maxId: number;

  constructor(orders: readonly SimOrder[]) {
    this.#sorted = orders.map(toStored).toSorted(byCreation);
    this.#byId = new Map(this.#sorted.map((entry) => [entry.id, entry]));
    this.#maxId = orders.reduce((max, order) => Math.max(max, order.orderId), 0);
  }

  orders(): readonly SimOrder[] {
    return this.#sorted.map(({ order }) => order);
  }

  /** Ascending by creation time, then id. A live view: it changes with the shop. */
  get sorted(): readonly StoredOrder[] {
    return this.#sorted;
  }

  /** The highest id ever assigned, deleted orders included. */
  get maxId(): number {
    return this.#maxId;
  }

  get(orderId: number): SimOrder | undefined {
    return this.#byId.get(orderId)?.order;
  }

  /** Adds the order, or replaces the one with its id. */
  put(order: SimOrder): void {
    this.delete(order.orderId);
    const entry = toStored(order);
    this.#sorted.splice(this.#indexOf(entry), 0, entry);
    this.#byId.set(order.orderId, entry);
    this.#maxId = Math.max(this.#maxId, order.orderId);
  }

  /** False when there is no such order. */
  delete(orderId: number): boolean {
    const entry = this.#byId.get(orderId);
    if (entry === undefined) return false;
    this.#sorted.splice(this.#indexOf(entry), 1);
    this.#byId.delete(orderId);
    return true;
  }

  #indexOf(target: StoredOrder): number {
    return lowerBound(this.#sorted, (entry) => byCreation(entry, target) < 0);
  }
}

function toStored(order: SimOrder): StoredOrder {
  return {
    order,
    id: order.orderId,
    created: order.createdText === null ? toSeconds(order.createdLocal) : -Infinity,
    updated: toSeconds(order.updatedLocal),
    scramble: new Random(order.orderId).bits(),
  };
}

/** Ascending by creation time, then id. */
export function byCreation(a: Listed, b: Listed): number {
  if (a.created === b.created) return a.id - b.id;
  return a.created < b.created ? -1 : 1;
}

/** The number of leading items for which `isBefore` holds. */
export function lowerBound<Item>(sorted: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = sorted[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
