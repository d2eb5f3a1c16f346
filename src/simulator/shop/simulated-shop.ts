/** The shop's true state, which tests compare a copy with, and the operations that change it. */
import type { JsonValue } from '../../model/json.ts';
import type { SimGroup, SimUser } from './sim-users.ts';
import type { Dialect } from './dialect.ts';
import { localSeconds, toPlain, toSeconds } from './shop-clock.ts';
import { makeOrder } from './order-maker.ts';
import { Random } from './random.ts';
import { makeChange, type OrderChange, type SimOrder, withChange } from './sim-order.ts';
import { nextStatus } from './statuses.ts';
import { changeDialect, nextIdStep, type RawFields, refusal, type World } from './world.ts';

export type TickSize = { readonly newOrders: number; readonly edits: number };

const DEFAULT_TICK: TickSize = { newOrders: 2, edits: 5 };
/** Statuses advance among this many of the latest orders. */
const RECENT_ORDERS = 1000;

export class SimulatedShop {
  readonly #world: World;
  readonly #clock: () => Temporal.Instant;
  #latest: Temporal.Instant | undefined;
  #changes = 0;
  #ticks = 0;

  /** @param clock the shop's time; it may stand still: `tick` advances it */
  constructor(world: World, clock: () => Temporal.Instant) {
    this.#world = world;
    this.#clock = clock;
  }

  /** The shop's present: the clock, or the time of the latest tick if that is later. */
  now(): Temporal.Instant {
    const clock = this.#clock();
    const latest = this.#latest ?? clock;
    return Temporal.Instant.compare(clock, latest) < 0 ? latest : clock;
  }

  /** A snapshot of all orders, by creation time, then by id. */
  orders(): readonly SimOrder[] {
    return this.#world.orders.sorted.map((entry) => entry.order);
  }

  order(orderId: number): SimOrder | undefined {
    return this.#world.orders.get(orderId);
  }

  users(): readonly SimUser[] {
    return this.#world.directory.users;
  }

  groups(): readonly SimGroup[] {
    return this.#world.groups;
  }

  /** Places an order with a new id, now unless `createdLocal` is given; all other fields not given are made up. */
  insertOrder(given: OrderChange = {}): SimOrder {
    const { source, orders, seed } = this.#world;
    const now = this.#localNow();
    const created = given.createdLocal === undefined ? now : toSeconds(given.createdLocal);
    this.#changes += 1;
    const orderId = Math.max(100_000, orders.maxId) + nextIdStep(new Random(seed, 'new', this.#changes));
    const present = Math.max(now, created);
    const order = makeOrder(source, 1_000_000_000 + this.#changes, orderId, created, present);
    return this.#put(withChange({ ...order, updatedLocal: toPlain(present) }, given));
  }

  /**
   * Changes an order and advances its `updated` by at least a second, so that the list row always differs. Totals
   * follow lines, delivery price and payment status unless given. By default the status advances, or, where it is
   * final, the quantity of the first line.
   *
   * @throws RangeError when there is no such order
   */
  editOrder(orderId: number, change?: OrderChange): SimOrder {
    const order = this.#existing(orderId);
    this.#changes += 1;
    const random = new Random(this.#world.seed, 'edit', this.#changes);
    const updatedLocal = toPlain(Math.max(this.#localNow(), toSeconds(order.updatedLocal) + 1));
    return this.#put(withChange({ ...order, updatedLocal }, change ?? makeChange(random, order)));
  }

  /** Increases `views` and nothing else, not even `updated`. */
  viewOrder(orderId: number): SimOrder {
    const order = this.#existing(orderId);
    return this.#put({ ...order, views: order.views + 1 });
  }

  moveOrder(orderId: number, createdLocal: Temporal.PlainDateTime): SimOrder {
    return this.editOrder(orderId, { createdLocal });
  }

  /** @throws RangeError when there is no such order */
  deleteOrder(orderId: number): void {
    const { orders, overrides, refusals } = this.#world;
    this.#existing(orderId);
    orders.delete(orderId);
    overrides.rows.delete(orderId);
    overrides.contents.delete(orderId);
    refusals.delete(refusal('order', orderId));
  }

  /** Overrides fields of the list row; the true order stays. Undefined removes the override. */
  setRaw(orderId: number, fields: RawFields | undefined): void {
    this.#existing(orderId);
    if (fields === undefined) this.#world.overrides.rows.delete(orderId);
    else this.#world.overrides.rows.set(orderId, fields);
  }

  /** Overrides the lines of the content. Undefined removes the override. */
  setRawContent(orderId: number, lines: readonly JsonValue[] | undefined): void {
    this.#existing(orderId);
    if (lines === undefined) this.#world.overrides.contents.delete(orderId);
    else this.#world.overrides.contents.set(orderId, lines);
  }

  /** Answers 403 for what is refused until allowed again; for a `row`, fails its pages. */
  refuse(...refused: Parameters<typeof refusal>): void {
    this.#world.refusals.add(refusal(...refused));
  }

  allow(...refused: Parameters<typeof refusal>): void {
    this.#world.refusals.delete(refusal(...refused));
  }

  allowAll(): void {
    this.#world.refusals.clear();
  }

  /** Sets switches from the next request on. Orders that were made with other `ids`, `statuses` and `userKeys` stay. */
  setDialect(switches: Partial<Dialect>): void {
    changeDialect(this.#world, { ...this.#world.dialect, ...switches });
  }

  /** Places some orders, advances some statuses, and moves the time forward to `now`. */
  tick(now: Temporal.Instant = this.now(), size: TickSize = DEFAULT_TICK): void {
    if (Temporal.Instant.compare(now, this.now()) > 0) this.#latest = now;
    this.#ticks += 1;
    const random = new Random(this.#world.seed, 'tick', this.#ticks);
    const recent = this.#world.orders.sorted.slice(-RECENT_ORDERS).map(({ order }) => order);
    const open = recent.filter((order) => nextStatus(random, order.status) !== undefined);
    for (const order of random.shuffled(open).slice(0, size.edits)) this.editOrder(order.orderId);
    for (let count = 0; count < size.newOrders; count += 1) this.insertOrder();
  }

  #localNow(): number {
    return localSeconds(this.now(), this.#world.timezone);
  }

  #existing(orderId: number): SimOrder {
    const order = this.order(orderId);
    if (order === undefined) throw new RangeError(`the simulated shop has no order ${orderId}`);
    return order;
  }

  #put(order: SimOrder): SimOrder {
    this.#world.orders.put(order);
    return order;
  }
}
