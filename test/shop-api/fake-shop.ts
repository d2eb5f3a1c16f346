/** An order list in this process: what the walk and the planner meet of a shop, at the speed of a function call. */
import type { ListRow, OrdersPage, OrdersQuery } from '../../src/shop-api/orders.ts';

/** Seconds since 1970 by the shop's wall clock. */
export type LocalSeconds = number;

export type FakeOrder = { readonly id: number; readonly created: LocalSeconds };

export type FakeTraits = {
  /** Rows of the longest page, whatever the limit. @default none */
  readonly cap?: number;
  /** @default 'desc' */
  readonly sort?: 'desc' | 'asc' | 'id' | 'shuffled';
  /** @default 'matches' */
  readonly total?: 'matches' | 'all' | 'absent';
  /** Whether an order placed exactly at `date_to` matches, or one of that minute. @default 'second' */
  readonly dateTo?: 'exclusive' | 'second' | 'minute';
  readonly ignoresStart?: boolean;
  readonly ignoresDates?: boolean;
  /** Pages are objects keyed by id, which JavaScript sorts by key. */
  readonly isKeyed?: boolean;
  /** More list requests than that are a fault of the planner. @default any number */
  readonly mostRequests?: number;
  /** Called before each answer, so that the shop can move in between. */
  readonly before?: (shop: FakeShop) => void;
};

export class FakeShop {
  #orders: readonly FakeOrder[];
  readonly queries: OrdersQuery[] = [];
  readonly traits: FakeTraits;

  constructor(orders: readonly FakeOrder[], traits: FakeTraits = {}) {
    this.traits = traits;
    this.#orders = orders.toSorted(COMPARE[traits.sort ?? 'desc']);
  }

  get orders(): readonly FakeOrder[] {
    return this.#orders;
  }

  /** List requests so far. */
  get requests(): number {
    return this.queries.length;
  }

  insert(order: FakeOrder): void {
    this.#orders = [...this.#orders, order].toSorted(COMPARE[this.traits.sort ?? 'desc']);
  }

  remove(id: number): void {
    this.#orders = this.#orders.filter((order) => order.id !== id);
  }

  /** The port that the walk reads by. */
  readonly listOrders = async (query: OrdersQuery): Promise<OrdersPage> => {
    this.queries.push(query);
    if (this.requests > (this.traits.mostRequests ?? Infinity)) throw new RangeError('asked too often');
    this.traits.before?.(this);
    const { cap = Infinity, total = 'matches', ignoresStart = false, isKeyed = false } = this.traits;
    const matching = this.#matching(query);
    const start = ignoresStart ? 0 : (query.start ?? 0);
    if (start < 0) throw new RangeError('start is negative');
    const page = matching.slice(start, start + Math.min(cap, query.limit ?? 100));
    const rows = (isKeyed ? page.toSorted((a, b) => a.id - b.id) : page).map(rowOf);
    const counted = { matches: matching.length, all: this.#orders.length, absent: undefined }[total];
    return { rows, malformed: [], received: rows.length, total: counted };
  };

  #matching({ dateFrom, dateTo }: OrdersQuery): readonly FakeOrder[] {
    if (this.traits.ignoresDates === true) return this.#orders;
    const from = dateFrom === undefined ? -Infinity : secondsOf(dateFrom);
    const to = dateTo === undefined ? Infinity : secondsOf(dateTo);
    const before = to + { exclusive: 0, second: 1, minute: 60 }[this.traits.dateTo ?? 'second'];
    return this.#orders.filter(({ created }) => created >= from && created < before);
  }
}

const COMPARE: Readonly<Record<NonNullable<FakeTraits['sort']>, (a: FakeOrder, b: FakeOrder) => number>> = {
  asc: (a, b) => a.created - b.created || a.id - b.id,
  desc: (a, b) => b.created - a.created || b.id - a.id,
  id: (a, b) => a.id - b.id,
  shuffled: (a, b) => scramble(a.id) - scramble(b.id),
};

/** Sorting by it looks like no order at all, but is the same every time. */
function scramble(id: number): number {
  return Math.imul(id ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0;
}

export function secondsOf(time: Temporal.PlainDateTime | string): LocalSeconds {
  return Temporal.PlainDateTime.from(time).toZonedDateTime('UTC').epochMilliseconds / 1000;
}

export function timeOf(seconds: LocalSeconds): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime();
}

const rows = new Map<string, ListRow>();

function rowOf({ id, created }: FakeOrder): ListRow {
  const key = `${id} ${created}`;
  const kept = rows.get(key);
  if (kept !== undefined) return kept;
  const [date = '', time = ''] = timeOf(created).toString({ smallestUnit: 'minute' }).split('T');
  const row = {
    orderId: String(id),
    raw: { order_id: id, created: date.split('-').toReversed().join('.'), time },
  };
  rows.set(key, row);
  return row;
}
