/** The shop's true state, and the hand that changes it: what a test compares a copy with. */
import type { JsonValue } from '../../json.ts';
import type { SimGroup } from './sim-groups.ts';
import { localSeconds, toPlain, toSeconds } from './shop-clock.ts';
import { makeOrder } from './order-maker.ts';
import { usualChange, withChange } from './order-change.ts';
import { Random } from './random.ts';
import type { RefusedKind } from './refusals.ts';
import type { OrderChange, SimOrder } from './sim-order.ts';
import { nextStatus } from './statuses.ts';
import type { SimUser } from './sim-users.ts';
import { nextIdStep, type RawFields, type World } from './world.ts';

export type TickSize = { readonly newOrders: number; readonly edits: number };

const USUAL_TICK: TickSize = { newOrders: 2, edits: 5 };
/** Statuses advance among this many of the latest orders. */
const LIVELY_ORDERS = 1000;

export class SimulatedShop {
  readonly #world: World;
  readonly #clock: () => Temporal.Instant;
  #latest: Temporal.Instant | undefined;
  #changes = 0;
  #ticks = 0;

  /** @param clock the shop's time; it may stand still, `tick` moves it */
  constructor(world: World, clock: () => Temporal.Instant) {
    this.#world = world;
    this.#clock = clock;
  }

  /** The shop's present: the clock, or the time of the latest tick if that is later. */
  now(): Temporal.Instant {
    const clock = this.#clock();
    const isBehind = this.#latest !== undefined && Temporal.Instant.compare(clock, this.#latest) < 0;
    return isBehind && this.#latest !== undefined ? this.#latest : clock;
  }

  /** All orders as they are now, by the time they were placed, then by id. Later changes do not show in it. */
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

  /** Places an order, now unless `createdLocal` says otherwise; what is not given is made up. Its id is a new one. */
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
   * Changes an order and its `updated`, which moves on by a second at least, so that the list row always differs.
   * Totals follow lines, delivery price and payment status unless given. Without a change, the status advances, or
   * the quantity of the first line where the status is final.
   *
   * @throws RangeError when there is no such order
   */
  editOrder(orderId: number, change?: OrderChange): SimOrder {
    const order = this.#existing(orderId);
    this.#changes += 1;
    const random = new Random(this.#world.seed, 'edit', this.#changes);
    const updatedLocal = toPlain(Math.max(this.#localNow(), toSeconds(order.updatedLocal) + 1));
    return this.#put(withChange({ ...order, updatedLocal }, change ?? usualChange(random, order)));
  }

  /** The order was looked at: `views` grows, and nothing else changes, `updated` included. */
  viewOrder(orderId: number): SimOrder {
    const order = this.#existing(orderId);
    return this.#put({ ...order, views: order.views + 1 });
  }

  /** Gives the order another placing time. */
  moveOrder(orderId: number, createdLocal: Temporal.PlainDateTime): SimOrder {
    return this.editOrder(orderId, { createdLocal });
  }

  /** @throws RangeError when there is no such order */
  deleteOrder(orderId: number): void {
    this.#existing(orderId);
    this.#world.orders.delete(orderId);
    this.#world.overrides.rows.delete(orderId);
    this.#world.overrides.contents.delete(orderId);
    this.#world.refusals.delete('order', orderId);
  }

  /** The list row answers with these fields instead of the true ones; the truth stays. Undefined takes it back. */
  setRaw(orderId: number, fields: RawFields | undefined): void {
    this.#existing(orderId);
    if (fields === undefined) this.#world.overrides.rows.delete(orderId);
    else this.#world.overrides.rows.set(orderId, fields);
  }

  /** The content answers with these lines instead of the true ones. Undefined takes it back. */
  setRawContent(orderId: number, lines: readonly JsonValue[] | undefined): void {
    this.#existing(orderId);
    if (lines === undefined) this.#world.overrides.contents.delete(orderId);
    else this.#world.overrides.contents.set(orderId, lines);
  }

  /**
   * Answers 403 for the content of an order, for a user by its oid, or for the groups, until it is allowed again; fails at every
   * page with the row of an order.
   */
  refuse(kind: RefusedKind, id?: number): void {
    this.#world.refusals.add(kind, id);
  }

  allow(kind: RefusedKind, id?: number): void {
    this.#world.refusals.delete(kind, id);
  }

  allowAll(): void {
    this.#world.refusals.clear();
  }

  /** Life goes on: some new orders, and some statuses advance. Time moves to `now` unless it is there already. */
  tick(now: Temporal.Instant = this.now(), size: TickSize = USUAL_TICK): void {
    if (Temporal.Instant.compare(now, this.now()) > 0) this.#latest = now;
    this.#ticks += 1;
    const random = new Random(this.#world.seed, 'tick', this.#ticks);
    const lively = this.#world.orders.sorted.slice(-LIVELY_ORDERS).map(({ order }) => order);
    const open = lively.filter((order) => nextStatus(random, order.status) !== undefined);
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
