import type { ShopZone } from '../../../normalize/local-time.ts';
import { createdMinute, isAllDay } from '../../../normalize/order.ts';
import { type ListRow, type OrdersPage, rowKey } from '../../../shop-api/endpoints/list-orders.ts';
import type { Witnesses } from '../../../shop-api/paging/reach.ts';
import type { WholeWindow } from '../../../shop-api/paging/reading.ts';
import { byTime, EVER, isBefore, isInWindow, maxTime, type Window } from '../../../model/window.ts';

type SeenOrder = {
  readonly row: ListRow;
  readonly created: Temporal.PlainDateTime;
  /** It was to be read. */
  readonly isDue: boolean;
};

/** So many of the oldest orders that were read are enough to reach above the next window. */
const ENOUGH = 20;

/**
 * What a walk has seen of orders: they exist, whatever is proven. Rows that pages of lists showed are kept until a window that was read
 * whole holds their times. The times of those that were read last are witnesses, beside those that are stored: what is asked does not
 * depend on the database's pace.
 */
export class SeenOrders {
  readonly #shop: ShopZone;
  readonly #stored: Witnesses | undefined;
  readonly #seen = new Map<string, SeenOrder>();
  /** Identifiers that came with two times: of one order that moved, or of two, none of which has it. */
  readonly #shared = new Set<string>();
  #due = EVER;
  #times: readonly Temporal.PlainDateTime[] = [];

  /** @param stored the shop's live orders in the warehouse. @default none are */
  constructor(shop: ShopZone, stored?: Witnesses) {
    this.#shop = shop;
    this.#stored = stored;
  }

  /** @param due what is read from now on */
  begin(due: Window): void {
    this.#due = due;
    this.#times = [];
  }

  note({ rows }: Pick<OrdersPage, 'rows'>): void {
    for (const row of rows) {
      const created = createdMinute(row.raw, this.#shop);
      const before = this.#seen.get(row.orderId);
      if (before !== undefined && rowKey(before.row) !== rowKey(row)) this.#shared.add(row.orderId);
      if (created === undefined) continue;
      const isDue = before?.isDue === true || isInWindow(this.#due, created);
      this.#seen.set(row.orderId, { row, created, isDue });
    }
  }

  /** @param created when orders that were read last were placed */
  pass(created: readonly Temporal.PlainDateTime[]): void {
    this.#times = [...this.#times, ...created].toSorted(byTime).slice(0, ENOUGH);
  }

  /** By the times of orders that were read last, and those that are stored. */
  readonly witnesses: Witnesses = async (side, time, nth) => {
    if (side === 'after')
      return this.#times.filter((at) => !isBefore(at, time))[nth - 1] ?? this.#stored?.(side, time, nth);
    const recent = this.#times.filter((at) => isBefore(at, time)).at(-nth);
    const stored = await this.#stored?.(side, time, nth);
    return recent && stored ? maxTime(recent, stored) : (recent ?? stored);
  };

  /**
   * Adds what else is known of a window that was read whole, and forgets its orders: those of whole days, which are listed
   * with another part of their day, belong to it; others that only other lists show are `omitted`.
   */
  settle(whole: WholeWindow): WholeWindow {
    this.pass(whole.rows.flatMap(({ raw }) => createdMinute(raw, this.#shop) ?? []));
    const own = new Set(whole.rows.map(({ orderId }) => orderId));
    const missed = [...this.#seen.values()].filter(
      ({ row, created }) => !own.has(row.orderId) && isInWindow(whole.window, created),
    );
    for (const orderId of own) this.#seen.delete(orderId);
    for (const [orderId, { created }] of this.#seen)
      if (isInWindow(whole.window, created)) this.#seen.delete(orderId);
    if (missed.length === 0) return whole;
    const rows = missed.map(({ row }) => row);
    const { allDay = [], omitted = [] } = Object.groupBy(rows, ({ raw }) =>
      isAllDay(raw, this.#shop) ? 'allDay' : 'omitted',
    );
    return { ...whole, rows: [...whole.rows, ...allDay], omitted };
  }

  /**
   * Those due that are left, each as it was seen last, in the order in which they came.
   *
   * @param others rows to add. @default none
   */
  left(others: readonly ListRow[] = []): readonly ListRow[] {
    const left = [...this.#seen.values()].filter(({ row, isDue }) => isDue && !this.#shared.has(row.orderId));
    const rows = [...others, ...left.map(({ row }) => row)];
    return [...new Map(rows.map((row) => [row.orderId, row])).values()];
  }
}
