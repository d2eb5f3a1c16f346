/** The hand that makes a hostile shop, and changes it by chance that repeats. */
import { type Dialect, PLAIN } from '../../../src/simulator/shop/dialect.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { GUEST_OID } from '../../../src/simulator/shop/sim-users.ts';
import type { Life } from './life.ts';
import type { Turn } from './lies.ts';

export const ZONE = 'Europe/Berlin';
/** The day after the clocks went forward in Berlin. */
export const PRESENT = Temporal.Instant.from('2026-03-30T19:40:20Z');
const LONG_AGO = Temporal.PlainDateTime.from('1998-08-17T10:00');
const DAY_S = 86_400;
/** More at once would look like a fault of the shop. */
const MAX_DELETED = 15;

/** By guests, so that no buyer is asked for. */
const BUYER = { buyerOid: GUEST_OID };

export class ShopHand {
  readonly #simulator: Simulator;
  readonly #days: number;
  /** Orders of the fullest minute. */
  readonly #crowd: number;
  readonly #random: Random;
  #dialect: Dialect = PLAIN;
  #deleted = 0;

  constructor(simulator: Simulator, { seed, days, bunch }: Pick<Life, 'seed' | 'days' | 'bunch'>) {
    this.#crowd = bunch;
    this.#simulator = simulator;
    this.#days = days;
    this.#random = new Random(seed, 'hand');
  }

  /** The orders with which the shop begins. */
  furnish({ orders, bunch, crowd, odd, refused }: Life): void {
    for (let count = 0; count < orders; count += 1) this.#place(this.#someTime());
    const minute = this.#someTime().with({ second: 0 });
    for (let count = 0; count < bunch; count += 1) this.#place(minute.add({ seconds: count % 60 }));
    const crowded = this.#present().subtract({ days: 1 }).toPlainDate().toPlainDateTime();
    for (let count = 0; count < crowd; count += 1) {
      this.#place(crowded.add({ seconds: this.#random.below(DAY_S) }));
    }
    const { shop } = this.#simulator;
    for (const kind of odd) {
      if (kind === 'undated') shop.insertOrder({ ...BUYER, createdText: '' });
      if (kind === 'zero-date') shop.insertOrder({ ...BUYER, createdText: '00.00.0000' });
      if (kind === 'future') this.#place(this.#present().add({ days: this.#random.between(1, 500) }));
      if (kind === 'past') this.#place(LONG_AGO);
    }
    for (const order of this.#random.shuffled(shop.orders()).slice(0, refused))
      shop.refuse('order', order.orderId);
  }

  turn({ dialect, pageCap, pageBytes }: Turn): void {
    this.#dialect = { ...this.#dialect, ...dialect };
    // No object holds a key twice.
    const isObject = this.#dialect.orders === 'object' && this.#dialect.pages === 'repeats';
    const pages = isObject ? 'whole' : this.#dialect.pages;
    this.#simulator.shop.setDialect({ ...dialect, pages, reach: this.#shownReach() });
    if (pageCap !== undefined) this.#simulator.pages.cap = pageCap;
    if (pageBytes !== undefined) this.#simulator.pages.bytes = pageBytes;
  }

  /**
   * A list that ends too early shows by what its far end leaves out, or by its total. Where any orders may be left out,
   * and no total tells, or where other faults hide the end, nobody could know.
   */
  #shownReach(): number {
    const { reach, total, listOrder, start, pages, falseEmpties, orders, dateFilter, datePrecision } =
      this.#dialect;
    const isPlain = start === 'honoured' && pages === 'whole' && orders === 'array' && falseEmpties === 0;
    const isByDate =
      (listOrder === 'desc' || listOrder === 'asc') && dateFilter === 'created' && datePrecision !== 'day';
    const isTotalChance = total === 'page' || total === 'random' || total === 'stale';
    return isPlain && isByDate && !isTotalChance && this.#crowd < reach ? reach : 0;
  }

  /** An order is placed, edited, moved to another time or deleted. */
  change(): void {
    const { shop } = this.#simulator;
    const orders = shop.orders();
    const kind = this.#random.weighted([
      ['place', 3],
      ['place late', 2],
      ['edit', 2],
      ['move', 4],
      ['delete', 3],
    ] as const);
    const order = orders[this.#random.below(orders.length)];
    if (order === undefined || kind === 'place') this.#place(this.#present());
    else if (kind === 'place late') this.#place(this.#someTime());
    else if (kind === 'edit') shop.editOrder(order.orderId);
    else if (kind === 'move') shop.moveOrder(order.orderId, this.#someTime());
    else if (this.#deleted < MAX_DELETED && order.orderId !== this.#firstId()) {
      this.#deleted += 1;
      shop.deleteOrder(order.orderId);
    }
  }

  /** The first order stays: a shop of which every order is replaced looks like another one. */
  #firstId(): number {
    return Math.min(...this.#simulator.shop.orders().map(({ orderId }) => orderId));
  }

  /** A shop without any order proves nothing by what it lists. */
  openAgain(): void {
    if (this.#simulator.shop.orders().length === 0) this.#place(this.#present());
  }

  chance(ofHundred: number): boolean {
    return this.#random.below(100) < ofHundred;
  }

  #place(createdLocal: Temporal.PlainDateTime): void {
    this.#simulator.shop.insertOrder({ ...BUYER, createdLocal });
  }

  #present(): Temporal.PlainDateTime {
    return this.#simulator.shop.now().toZonedDateTimeISO(ZONE).toPlainDateTime();
  }

  /** Within the days of the shop's life, up to now. */
  #someTime(): Temporal.PlainDateTime {
    return this.#present().subtract({ seconds: this.#random.below(this.#days * DAY_S) });
  }
}
