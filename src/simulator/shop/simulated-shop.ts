/** The shop's true state, made from a seed, which tests compare a copy with, and the operations that change it. */
import type { JsonValue } from '../../model/json.ts';
import { makeBuyers } from './buyers.ts';
import { makeCatalogue } from './catalogue.ts';
import type { Dialect } from './dialect.ts';
import { makeOrder, type OrderSource } from './order-maker.ts';
import { OrderStore } from './order-store.ts';
import { Random } from './random.ts';
import { clockGaps, DAY_S, localSeconds, toPlain, toSeconds } from './shop-clock.ts';
import { makeChange, type OrderChange, type SimOrder, withChange } from './sim-order.ts';
import { makeGroups, makeUsers, type ShopSpan, type SimGroup, type SimUser } from './sim-users.ts';
import { nextStatus } from './statuses.ts';
import { orderTimes } from './timeline.ts';

/** Fields that replace a record's own; an undefined one is omitted. */
type RawFields = Readonly<Record<string, JsonValue | undefined>>;

export type ShopSettings = {
  readonly orders: number;
  readonly days: number;
  readonly seed: number;
  readonly timezone: string;
  /** The time of the latest order. */
  readonly now: Temporal.Instant;
  readonly dialect: Dialect;
};

type TickSize = { readonly newOrders: number; readonly edits: number };

const DEFAULT_TICK: TickSize = { newOrders: 2, edits: 5 };
/** What a live shop does at a time. */
const LIVE_TICK: TickSize = { newOrders: 1, edits: 2 };
/** Statuses advance among this many of the latest orders. */
const RECENT_ORDERS = 1000;
const FIRST_ORDER_ID = 100_000;
const LARGEST_ID_STEP = 4;
const MAX_DAYS = 36_500;
/** A shop with at least this many orders also has many groups. */
const CROWDED_FROM = 300;

/** The content of an order (by id), a user (by oid), all groups, or an order's row, without which no page can be written. */
type RefusedKind = 'order' | 'row' | 'user' | 'groups';

/** The same settings and the same calls give the same shop. */
export class SimulatedShop {
  readonly seed: number;
  readonly store: OrderStore;
  /** By order id: fields that replace those of the list row, and lines that replace those of the content. */
  readonly rawRows = new Map<number, RawFields>();
  readonly rawContents = new Map<number, readonly JsonValue[]>();
  readonly #timezone: string;
  readonly #groups: readonly SimGroup[];
  readonly #users: readonly SimUser[];
  readonly #source: OrderSource;
  readonly #clock: () => Temporal.Instant;
  readonly #refused = new Set<string>();
  #dialect: Dialect;
  #earlier: OrderStore | undefined;
  #latest: Temporal.Instant | undefined;
  #changes = 0;
  #ticks = 0;

  /**
   * @param clock the shop's time; it may stand still: `tick` advances it
   * @throws RangeError for an invalid number of orders or days, or an unknown zone
   */
  constructor(settings: ShopSettings, clock = () => settings.now) {
    const { seed, timezone, dialect, orders, days } = settings;
    if (!Number.isInteger(orders) || orders < 0) {
      throw new RangeError(`orders must be a whole number of 0 or more, not ${orders}`);
    }
    if (!(days > 0 && days <= MAX_DAYS)) {
      throw new RangeError(`days must be above 0 and at most ${MAX_DAYS}, not ${days}`);
    }
    const now = localSeconds(settings.now, timezone);
    const span = { from: now - Math.round(days * DAY_S), to: now + 1 };
    this.seed = seed;
    this.#timezone = timezone;
    this.#clock = clock;
    this.#groups = makeGroups(seed, span.from, orders >= CROWDED_FROM);
    this.#users = makeUsers(seed, Math.max(20, Math.round(orders / 5)), this.#groups, span);
    const pickBuyer = makeBuyers(seed, this.#users, Math.max(10, Math.round(orders / 4)), span);
    const hasCustomStatuses = dialect.statuses === 'custom';
    this.#source = { seed, catalogue: makeCatalogue(seed), pickBuyer, hasCustomStatuses };
    this.store = new OrderStore(makeOrders(this.#source, settings, span));
    this.#dialect = dialect;
    this.setDialect({});
  }

  /** The shop's present: the clock, or the time of the latest tick if that is later. */
  now(): Temporal.Instant {
    const clock = this.#clock();
    const latest = this.#latest ?? clock;
    return Temporal.Instant.compare(clock, latest) < 0 ? latest : clock;
  }

  /** A snapshot of all orders, by creation time, then by id. */
  orders(): readonly SimOrder[] {
    return this.store.orders();
  }

  order(orderId: number): SimOrder | undefined {
    return this.store.get(orderId);
  }

  users(): readonly SimUser[] {
    return this.#users;
  }

  groups(): readonly SimGroup[] {
    return this.#groups;
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  /** The orders as they were when `total` became `stale`, or `contents` `cached`. */
  get earlier(): OrderStore | undefined {
    return this.#earlier;
  }

  /** Sets switches from the next request on. Orders that were made with other `ids` and `statuses` stay. */
  setDialect(switches: Partial<Dialect>): void {
    const dialect = { ...this.#dialect, ...switches };
    this.#dialect = dialect;
    const isStale = dialect.total === 'stale' || dialect.contents === 'cached';
    this.#earlier = isStale ? new OrderStore(this.orders()) : undefined;
  }

  /** Places an order with a new id, now unless `createdLocal` is set; all other fields that are not set are made up. */
  insertOrder(changes: OrderChange = {}): SimOrder {
    const now = this.#localNow();
    const created = changes.createdLocal === undefined ? now : toSeconds(changes.createdLocal);
    this.#changes += 1;
    const step = nextIdStep(new Random(this.seed, 'new', this.#changes));
    const orderId = Math.max(FIRST_ORDER_ID, this.store.maxId) + step;
    const present = Math.max(now, created);
    const order = makeOrder(this.#source, 1_000_000_000 + this.#changes, orderId, created, present);
    return this.#put(withChange({ ...order, updatedLocal: toPlain(present) }, changes));
  }

  /**
   * Changes an order and advances its `updated` by at least a second, so that the list row always differs. Totals
   * follow lines, delivery price and payment status unless set. By default the status advances, or, where it is
   * final, the quantity of the first line.
   *
   * @throws RangeError when there is no such order
   */
  editOrder(orderId: number, change?: OrderChange): SimOrder {
    const order = this.#existing(orderId);
    this.#changes += 1;
    const random = new Random(this.seed, 'edit', this.#changes);
    const updatedLocal = toPlain(Math.max(this.#localNow(), toSeconds(order.updatedLocal) + 1));
    return this.#put(withChange({ ...order, updatedLocal }, change ?? makeChange(random, order)));
  }

  moveOrder(orderId: number, createdLocal: Temporal.PlainDateTime): SimOrder {
    return this.editOrder(orderId, { createdLocal });
  }

  /** @throws RangeError when there is no such order */
  deleteOrder(orderId: number): void {
    this.#existing(orderId);
    this.store.delete(orderId);
    this.rawRows.delete(orderId);
    this.rawContents.delete(orderId);
    this.#refused.delete(`order ${orderId}`);
  }

  /** Overrides fields of the list row; the true order stays. Undefined removes the override. */
  setRaw(orderId: number, fields: RawFields | undefined): void {
    this.#existing(orderId);
    if (fields === undefined) this.rawRows.delete(orderId);
    else this.rawRows.set(orderId, fields);
  }

  /** Overrides the lines of the content. Undefined removes the override. */
  setRawContent(orderId: number, lines: readonly JsonValue[] | undefined): void {
    this.#existing(orderId);
    if (lines === undefined) this.rawContents.delete(orderId);
    else this.rawContents.set(orderId, lines);
  }

  /** Answers 403 for what is refused until all is allowed again; for a `row`, fails its pages. @param id none for the groups */
  refuse(kind: RefusedKind, id = 0): void {
    this.#refused.add(`${kind} ${id}`);
  }

  refuses(kind: RefusedKind, id = 0): boolean {
    return this.#refused.has(`${kind} ${id}`);
  }

  allowAll(): void {
    this.#refused.clear();
  }

  /** Places some orders, advances some statuses, and moves the time forward to `now`. */
  tick(now: Temporal.Instant = this.now(), size: TickSize = DEFAULT_TICK): void {
    if (Temporal.Instant.compare(now, this.now()) > 0) this.#latest = now;
    this.#ticks += 1;
    const random = new Random(this.seed, 'tick', this.#ticks);
    const recent = this.orders().slice(-RECENT_ORDERS);
    const open = recent.filter((order) => nextStatus(random, order.status) !== undefined);
    for (const order of random.shuffled(open).slice(0, size.edits)) this.editOrder(order.orderId);
    for (let count = 0; count < size.newOrders; count += 1) this.insertOrder();
  }

  /**
   * Runs every tick that is due since the latest one, each at its own time: so it makes no difference when, or how often,
   * this is called, and a shop that was restarted becomes the one that it would be if it had never stopped.
   */
  catchUp(everyMs: number, now: Temporal.Instant): void {
    for (;;) {
      const next = this.now().add({ milliseconds: everyMs });
      if (Temporal.Instant.compare(next, now) > 0) return;
      this.tick(next, LIVE_TICK);
    }
  }

  #localNow(): number {
    return localSeconds(this.now(), this.#timezone);
  }

  #existing(orderId: number): SimOrder {
    const order = this.order(orderId);
    if (order === undefined) throw new RangeError(`the simulated shop has no order ${orderId}`);
    return order;
  }

  #put(order: SimOrder): SimOrder {
    this.store.put(order);
    return order;
  }
}

function makeOrders(source: OrderSource, settings: ShopSettings, span: ShopSpan): readonly SimOrder[] {
  const gaps = clockGaps(span.from, span.to, settings.timezone);
  const times = orderTimes(settings.seed, settings.orders, span, gaps);
  const random = new Random(settings.seed, 'ids');
  let lastId = FIRST_ORDER_ID;
  const ascending = times.map(() => (lastId += nextIdStep(random)));
  const ids = settings.dialect.ids === 'shuffled' ? random.shuffled(ascending) : ascending;
  return times.map((time, index) => makeOrder(source, index, ids[index] ?? 0, time, span.to - 1));
}

/** Ids have gaps: a shop also numbers baskets that never become orders. */
function nextIdStep(random: Random): number {
  return random.between(1, LARGEST_ID_STEP);
}
