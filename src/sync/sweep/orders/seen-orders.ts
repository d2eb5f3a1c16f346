import type { ShopZone } from '../../../normalize/local-time.ts';
import { createdMinute, isAllDay } from '../../../normalize/order.ts';
import { type ListRow, type OrdersPage, rowKey } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/reading.ts';
import { EVER, isInWindow, type Window } from '../../../model/window.ts';

type SeenOrder = {
  readonly row: ListRow;
  readonly created: Temporal.PlainDateTime;
  /** It was to be read. */
  readonly isDue: boolean;
};

/** Orders that pages of lists showed, until a window that was read whole holds their times: they exist, whatever is proven. */
export class SeenOrders {
  readonly #shop: ShopZone;
  readonly #seen = new Map<string, SeenOrder>();
  /** Identifiers that came with two times: of one order that moved, or of two, none of which has it. */
  readonly #shared = new Set<string>();
  #due = EVER;

  constructor(shop: ShopZone) {
    this.#shop = shop;
  }

  /** @param due what is read from now on */
  begin(due: Window): void {
    this.#due = due;
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

  /**
   * Adds what else is known of a window that was read whole, and forgets its orders: those of whole days, which are listed
   * with another part of their day, belong to it; others that only other lists show are `lacking`.
   */
  settle(whole: WholeWindow): WholeWindow {
    const own = new Set(whole.rows.map(({ orderId }) => orderId));
    const missed = [...this.#seen.values()].filter(
      ({ row, created }) => !own.has(row.orderId) && isInWindow(whole.window, created),
    );
    for (const orderId of own) this.#seen.delete(orderId);
    for (const [orderId, { created }] of this.#seen)
      if (isInWindow(whole.window, created)) this.#seen.delete(orderId);
    if (missed.length === 0) return whole;
    const rows = missed.map(({ row }) => row);
    const { allDay = [], lacking = [] } = Object.groupBy(rows, ({ raw }) =>
      isAllDay(raw, this.#shop) ? 'allDay' : 'lacking',
    );
    return { ...whole, rows: [...whole.rows, ...allDay], lacking };
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
