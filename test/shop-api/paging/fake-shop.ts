/** The simulated shop's list in this process, without records: what the walk and the planner meet of a shop, at the speed of a function call. */
import { TransientError } from '../../../src/model/errors.ts';
import {
  type ListDialect,
  cutPage,
  findRows,
  isFalseEmpty,
  totalOf,
} from '../../../src/simulator/api/order-list.ts';
import { type Dialect, PLAIN } from '../../../src/simulator/shop/dialect.ts';
import { byCreation, type Listed } from '../../../src/simulator/shop/order-store.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import {
  type ListRow,
  type OrdersPage,
  type OrdersQuery,
  rowKey,
} from '../../../src/shop-api/endpoints/list-orders.ts';

/** Seconds since 1970 by the shop's wall clock. */
export type LocalSeconds = number;

export type FakeOrder = {
  readonly id: number;
  readonly created: LocalSeconds;
  /** The list does not say when, and no date selects it. @default it does */
  readonly hasNoDate?: boolean;
  /** What the list says instead of when it was created. @default that */
  readonly shown?: LocalSeconds;
  /** @default what the list says */
  readonly updated?: LocalSeconds;
};

/** Switches of the simulated shop, and what only shops of this process do. */
export type FakeTraits = Partial<ListDialect & Pick<Dialect, 'orders'>> & {
  /** Rows of the longest page, whatever the limit; bytes, of which a row has one or three. @default none */
  readonly cap?: number;
  /** What happens at random is the same for the same seed. @default 1 */
  readonly seed?: number;
  /** No list is longer than so many days from its beginning. @default any */
  readonly mostDays?: number;
  /**
   * The clocks were set back by an hour then, by what they showed; `created` goes on, and the dates of a request are those
   * of the first hour where they are of both. @default never
   */
  readonly clockBack?: LocalSeconds;
  /** Fails at pages that hold one of these orders, at limits above one, at dates of more days, at positions from one on. */
  readonly failsAt?: {
    readonly ids?: readonly number[];
    readonly limit?: number;
    readonly days?: number;
    readonly start?: number;
  };
  /** Lists this order twice in a row. @default none */
  readonly listsTwice?: number;
  /** Fails at every request from this one on. @default never */
  readonly awayFrom?: number;
  /** More list requests than that are a fault of the planner. @default any number */
  readonly mostRequests?: number;
  /** Called before each answer, so that the shop can move in between. */
  readonly before?: (shop: FakeShop) => void;
};

type Row = Listed & { readonly order: FakeOrder };

const FAILURE = 'the shop answered HTTP 500';
/** An open end is taken for it. */
const LAST = '2026-04-01';
const DAY_S = 86_400;
const EMPTY: OrdersPage = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };

export class FakeShop {
  #rows: readonly Row[];
  readonly queries: OrdersQuery[] = [];
  readonly traits: FakeTraits;
  readonly #dialect: Dialect;
  readonly #random: Random;

  constructor(orders: readonly FakeOrder[], traits: FakeTraits = {}) {
    this.traits = traits;
    this.#dialect = { ...PLAIN, ...traits };
    this.#random = new Random('fake shop', traits.seed ?? 1);
    this.#rows = orders.map(toRow).toSorted(byCreation);
  }

  /** Ascending by the time at which they were created. */
  get orders(): readonly FakeOrder[] {
    return this.#rows.map(({ order }) => order);
  }

  /** List requests so far. */
  get requests(): number {
    return this.queries.length;
  }

  insert(order: FakeOrder): void {
    this.#rows = [...this.#rows, toRow(order)].toSorted(byCreation);
  }

  remove(id: number): void {
    this.#rows = this.#rows.filter((row) => row.id !== id);
  }

  /** The port that the walk reads by. */
  readonly listOrders = async (query: OrdersQuery): Promise<OrdersPage> => {
    this.queries.push(query);
    const { before, cap = Infinity, failsAt, listsTwice, mostRequests = Infinity } = this.traits;
    if (this.requests > mostRequests) throw new RangeError('asked too often');
    before?.(this);
    const [dialect, random] = [this.#dialect, this.#random];
    if (isFalseEmpty(dialect, random)) return EMPTY;
    this.#failAtOnce(query);
    const all = this.#rows.flatMap((row) => (row.id === listsTwice ? [row, row] : [row]));
    const found = findRows(all, this.#asked(query), dialect, random, cap);
    const size = ({ id }: Row) => (id % 5 === 0 ? 3 : 1);
    const page = cutPage(found.rows, dialect.pages, Math.max(6, cap), size, random);
    if (failsAt?.ids?.some((id) => page.some((row) => row.id === id))) throw new TransientError(FAILURE);
    const isKeyed = dialect.orders === 'object';
    // JavaScript sorts the keys of an object.
    const rows = (isKeyed ? page.toSorted((a, b) => a.id - b.id) : page).map(({ order }) => rowOf(order));
    const total = totalOf({ ...found, rows: page }, this.#rows.length, dialect, random);
    return { rows, malformed: [], received: rows.length, keys: rows.map(rowKey), isKeyed, total };
  };

  #asked({ start = 0, limit = 100, dateFrom, dateTo }: OrdersQuery) {
    if (start < 0) throw new RangeError('start is negative');
    const { clockBack = Infinity, mostDays = Infinity } = this.traits;
    const instant = (time: Temporal.PlainDateTime | undefined) => {
      const seconds = time === undefined ? undefined : secondsOf(time);
      return seconds === undefined || seconds < clockBack ? seconds : seconds + 3600;
    };
    const from = instant(dateFrom);
    const latest = (from ?? Infinity) + mostDays * DAY_S;
    const to = Math.min(instant(dateTo) ?? Infinity, latest);
    return {
      start,
      limit,
      dateFrom: from,
      dateTo: to === Infinity ? undefined : to,
      matches: undefined,
    };
  }

  #failAtOnce({ start = 0, limit = 100, dateFrom, dateTo }: OrdersQuery): void {
    const { failsAt = {}, awayFrom = Infinity } = this.traits;
    const seconds = secondsOf(dateTo ?? LAST) - secondsOf(dateFrom ?? '1970-01-01');
    const isLong = (dateFrom ?? dateTo) !== undefined && seconds > (failsAt.days ?? Infinity) * DAY_S;
    const isAway = this.requests >= awayFrom;
    if (isLong || isAway || limit > (failsAt.limit ?? Infinity) || start >= (failsAt.start ?? Infinity)) {
      throw new TransientError(FAILURE);
    }
  }
}

function toRow(order: FakeOrder): Row {
  const { id, created, hasNoDate = false, updated = created } = order;
  return { id, created: hasNoDate ? -Infinity : created, updated, scramble: scrambled(id), order };
}

const scrambled = (id: number) => Math.imul(id ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0;

export function secondsOf(time: Temporal.PlainDateTime | string): LocalSeconds {
  const { year, month, day, hour, minute, second } = Temporal.PlainDateTime.from(time);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

export function timeOf(seconds: LocalSeconds): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime();
}

const rows = new Map<string, ListRow>();

function rowOf({ id, created, hasNoDate = false, shown = created, updated = shown }: FakeOrder): ListRow {
  const key = `${id} ${hasNoDate} ${shown} ${updated}`;
  const kept = rows.get(key);
  if (kept !== undefined) return kept;
  const [date = '', time = ''] = timeOf(shown).toString({ smallestUnit: 'minute' }).split('T');
  const row = {
    orderId: String(id),
    raw: {
      order_id: id,
      created: hasNoDate ? '' : date.split('-').toReversed().join('.'),
      time,
      updated: timeOf(updated).toString({ smallestUnit: 'second' }).replace('T', ' '),
    },
  };
  rows.set(key, row);
  return row;
}
