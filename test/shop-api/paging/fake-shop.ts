/** An order list in this process: what the walk and the planner meet of a shop, at the speed of a function call. */
import { TransientError } from '../../../src/model/errors.ts';
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

export type FakeTraits = {
  /** Rows of the longest page, whatever the limit. @default none */
  readonly cap?: number;
  /** @default 'desc' */
  readonly sort?: 'desc' | 'asc' | 'id' | 'shuffled' | 'another each time';
  /** Of the matches, those that are served, all, this page, a lie that changes, or none. @default 'matches' */
  readonly total?: 'matches' | 'served' | 'all' | 'page' | 'random' | 'absent';
  /** Whether an order placed exactly at `date_from` matches. @default 'inclusive' */
  readonly dateFrom?: 'inclusive' | 'exclusive';
  /** Whether an order placed exactly at `date_to` matches. @default 'inclusive' */
  readonly dateTo?: 'inclusive' | 'exclusive';
  /** What of the dates and times is compared. @default 'second' */
  readonly precision?: 'second' | 'minute' | 'day';
  /** One date without the other is taken for none. */
  readonly wantsBothDates?: boolean;
  /** The shop's filter counts in another zone. @default 0 */
  readonly shiftHours?: number;
  /** Pages end at random, or by the size of their rows. @default 'whole' */
  readonly pages?: 'whole' | 'random' | 'bytes' | 'repeats';
  /** Rows of the shortest page that ends at random. @default 2 */
  readonly fewest?: number;
  /** No order is served at this position of a list or beyond it. @default any */
  readonly reach?: number;
  /** The share of answers that are empty by mistake. @default 0 */
  readonly falseEmpties?: number;
  /** What happens at random is the same for the same seed. @default 1 */
  readonly seed?: number;
  readonly ignoresStart?: boolean;
  /** A position beyond the last row is taken for that of the last row. */
  readonly clampsStart?: boolean;
  /** Positions count from one, are rounded down to tens, are those of pages, or leave a full page at the end. @default 'zero' */
  readonly startsAt?: 'zero' | 'one' | 'tens' | 'pages' | 'full page';
  /** A list without dates, or without `date_from`, is that of the last days. @default of all */
  readonly undatedDays?: number;
  readonly openDays?: number;
  /** Dates before 2000 find nothing. @default they find all that is later */
  readonly knowsNoEpoch?: boolean;
  /** No list is longer than so many days from its beginning. @default any */
  readonly mostDays?: number;
  /**
   * The clocks were set back by an hour then, by what they showed; `created` goes on, and the dates of a request are those
   * of the first hour where they are of both. @default never
   */
  readonly clockBack?: LocalSeconds;
  /** The time that dates select by. @default 'created' */
  readonly filter?: 'created' | 'updated';
  /** Rows beyond this position of a list are never served. @default none */
  readonly endsAt?: number | undefined;
  readonly ignoresDates?: boolean;
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
  /** Pages are objects keyed by id, which JavaScript sorts by key. */
  readonly isKeyed?: boolean;
  /** More list requests than that are a fault of the planner. @default any number */
  readonly mostRequests?: number;
  /** Called before each answer, so that the shop can move in between. */
  readonly before?: (shop: FakeShop) => void;
};

const FAILURE = 'the shop answered HTTP 500';
/** An open end is taken for it. */
const LAST = '2026-04-01';

export class FakeShop {
  #orders: readonly FakeOrder[];
  readonly queries: OrdersQuery[] = [];
  readonly traits: FakeTraits;
  readonly #random: Random;

  constructor(orders: readonly FakeOrder[], traits: FakeTraits = {}) {
    this.traits = traits;
    this.#random = new Random('fake shop', traits.seed ?? 1);
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
    const { total = 'matches', ignoresStart = false, isKeyed = false, falseEmpties = 0 } = this.traits;
    if (this.#random.chance(falseEmpties)) {
      return { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };
    }
    const matching = this.#matching(query);
    this.#failAtOnce(query);
    const twice = this.traits.listsTwice;
    const ordered = this.traits.sort === 'another each time' ? this.#shuffle(matching) : matching;
    const listed = ordered.flatMap((order) => (order.id === twice ? [order, order] : [order]));
    const served = listed.slice(0, this.traits.endsAt);
    const asked = ignoresStart ? 0 : (query.start ?? 0);
    if (asked < 0) throw new RangeError('start is negative');
    const start = this.#position(asked, served.length, query.limit ?? 100);
    const page = this.#cut(served.slice(start, this.traits.reach), query.limit ?? 100);
    const rows = (isKeyed ? page.toSorted((a, b) => a.id - b.id) : page).map(rowOf);
    const counted = {
      matches: matching.length,
      served: served.length,
      all: this.#orders.length,
      page: rows.length,
      random: this.#random.between(0, 100),
      absent: undefined,
    }[total];
    const keys = rows.map(rowKey);
    if (this.traits.failsAt?.ids?.some((id) => rows.some(({ orderId }) => orderId === String(id))))
      throw new TransientError(FAILURE);
    return { rows, malformed: [], received: rows.length, keys, isKeyed, total: counted };
  };

  #position(asked: number, served: number, limit: number): number {
    const { startsAt = 'zero', clampsStart = false, cap = Infinity } = this.traits;
    if (startsAt === 'one') return Math.max(0, asked - 1);
    if (startsAt === 'pages') return asked * Math.min(limit, cap);
    if (startsAt === 'tens') return Math.floor(asked / 10) * 10;
    if (startsAt === 'full page') return Math.min(asked, Math.max(0, served - Math.min(limit, cap)));
    return clampsStart ? Math.min(asked, Math.max(0, served - 1)) : asked;
  }

  #shuffle(orders: readonly FakeOrder[]): readonly FakeOrder[] {
    const keyed = orders.map((order) => ({ order, key: this.#random.between(0, 1_000_000) }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ order }) => order);
  }

  #failAtOnce({ start = 0, limit = 100, dateFrom, dateTo }: OrdersQuery): void {
    const { failsAt = {}, awayFrom = Infinity } = this.traits;
    const seconds = secondsOf(dateTo ?? LAST) - secondsOf(dateFrom ?? '1970-01-01');
    const isLong = (dateFrom ?? dateTo) !== undefined && seconds > (failsAt.days ?? Infinity) * 86_400;
    const isAway = this.requests >= awayFrom;
    if (isLong || isAway || limit > (failsAt.limit ?? Infinity) || start >= (failsAt.start ?? Infinity)) {
      throw new TransientError(FAILURE);
    }
  }

  #cut(rows: readonly FakeOrder[], limit: number): readonly FakeOrder[] {
    const { cap = Infinity, pages = 'whole', fewest = 2 } = this.traits;
    const most = Math.min(cap, limit, rows.length);
    if (pages === 'whole' || most < 2) return rows.slice(0, most);
    if (pages === 'random')
      return rows.slice(0, this.#random.chance(0.6) ? most : this.#random.between(fewest, most));
    if (pages === 'repeats') {
      if (this.#random.chance(0.7)) return rows.slice(0, most);
      const twice = this.#random.between(0, most - 2);
      return [...rows.slice(0, twice + 1), ...rows.slice(twice, most - 1)];
    }
    // At least two rows fit, and those of some identifiers are three times as large.
    let bytes = 0;
    const fitting = rows.findIndex(({ id }) => (bytes += id % 5 === 0 ? 3 : 1) > Math.max(6, cap));
    return rows.slice(0, fitting === -1 ? most : Math.min(most, fitting));
  }

  #matching({ dateFrom, dateTo }: OrdersQuery): readonly FakeOrder[] {
    const isHalf = (dateFrom === undefined) !== (dateTo === undefined);
    if (this.traits.ignoresDates === true || (isHalf && this.traits.wantsBothDates === true))
      return this.#orders;
    const { precision = 'second', shiftHours = 0 } = this.traits;
    const unit = { second: 1, minute: 60, day: 86_400 }[precision];
    const shift = shiftHours * 3600;
    const whole = (seconds: number) => Math.floor(seconds / unit);
    const isUndated = dateFrom === undefined && dateTo === undefined;
    const {
      undatedDays = Infinity,
      openDays = Infinity,
      filter = 'created',
      clockBack = Infinity,
    } = this.traits;
    const instant = (time: Temporal.PlainDateTime) => {
      const seconds = secondsOf(time);
      return seconds < clockBack ? seconds : seconds + 3600;
    };
    const mostDays = this.traits.mostDays ?? Infinity;
    const given = Math.min(openDays, isUndated ? undatedDays : Infinity, mostDays);
    const days = dateFrom === undefined ? given : Infinity;
    const present = Math.max(0, ...this.#orders.map(({ created }) => created));
    const earliest = Math.min(present, dateTo === undefined ? Infinity : secondsOf(dateTo)) - days * 86_400;
    const from = dateFrom === undefined ? whole(earliest) : whole(instant(dateFrom) + shift);
    if (this.traits.knowsNoEpoch === true && dateFrom !== undefined && dateFrom.year < 2000) return [];
    const latest = mostDays === Infinity ? Infinity : from + (mostDays * 86_400) / unit;
    const to = Math.min(latest, dateTo === undefined ? Infinity : whole(instant(dateTo) + shift));
    return this.#orders.filter((order) => {
      if (order.hasNoDate === true && !isUndated) return false;
      const at = whole(order[filter] ?? order.created);
      const isAfter = this.traits.dateFrom === 'exclusive' ? at > from : at >= from;
      return isAfter && (this.traits.dateTo === 'exclusive' ? at < to : at <= to);
    });
  }
}

const COMPARE: Readonly<Record<NonNullable<FakeTraits['sort']>, (a: FakeOrder, b: FakeOrder) => number>> = {
  asc: (a, b) => a.created - b.created || a.id - b.id,
  desc: (a, b) => b.created - a.created || b.id - a.id,
  id: (a, b) => a.id - b.id,
  shuffled: (a, b) => scramble(a.id) - scramble(b.id),
  'another each time': (a, b) => a.id - b.id,
};

/** Sorting by it looks like no order at all, but is the same every time. */
function scramble(id: number): number {
  return Math.imul(id ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0;
}

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
