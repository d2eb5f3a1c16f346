/** Orders that pages of a list showed, until a window that was read whole holds their times: they exist, whatever is proven. */
import { createdMinute } from '../../../normalize/order.ts';
import type { ShopZone } from '../../../normalize/local-time.ts';
import { type ListRow, rowKey } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';
import { isInWindow, type Window } from '../../../window.ts';
import type { ListedRows } from './read-windows.ts';

export type SeenOrder = {
  readonly row: ListRow;
  readonly created: Temporal.PlainDateTime;
  readonly isOutdated: boolean;
};

export class SeenOrders {
  readonly #shop: ShopZone;
  readonly #seen = new Map<string, SeenOrder>();
  /** Identifiers that came with two times: of one order that moved, or of two, none of which has it. */
  readonly #twins = new Set<string>();

  constructor(shop: ShopZone) {
    this.#shop = shop;
  }

  /** @param due orders of other times are not asked for */
  add({ rows, isOutdated }: ListedRows, due: Window): void {
    for (const row of rows) {
      const created = createdMinute(row.raw, this.#shop);
      const before = this.#seen.get(row.orderId)?.row ?? row;
      if (rowKey(before) !== rowKey(row)) this.#twins.add(row.orderId);
      if (created !== undefined && isInWindow(due, created))
        this.#seen.set(row.orderId, { row, created, isOutdated });
    }
  }

  /** Leaves out what a window holds that was read whole, or shows not to be there. */
  drop({ window, rows }: Pick<WholeWindow, 'window' | 'rows'>): void {
    for (const { orderId } of rows) this.#seen.delete(orderId);
    for (const [orderId, { created }] of this.#seen)
      if (isInWindow(window, created)) this.#seen.delete(orderId);
  }

  /** Those that are left, in the order in which they came. */
  take(): readonly SeenOrder[] {
    const left = [...this.#seen.values()].filter(({ row }) => !this.#twins.has(row.orderId));
    this.#seen.clear();
    return left;
  }
}
