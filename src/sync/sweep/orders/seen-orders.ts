import type { ShopZone } from '../../../normalize/local-time.ts';
import { createdMinute, isAllDay } from '../../../normalize/order.ts';
import {
  type ListRow,
  type OrdersPage,
  type OrdersQuery,
  rowKey,
} from '../../../shop-api/endpoints/list-orders.ts';
import { type ListDeps, PageFault, requestPage, unlessFault } from '../../../shop-api/paging/request-page.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';
import { EVER, isBefore, isInWindow, type Window } from '../../../model/window.ts';

export type SeenOrder = {
  readonly row: ListRow;
  readonly created: Temporal.PlainDateTime;
  readonly isOutdated: boolean;
  /** It was to be read. */
  readonly isDue: boolean;
  /** What this run asked for when it came, until the window of its time is read; undefined where the answer may be old. */
  query: OrdersQuery | undefined;
};

/** Lists that are asked for again. */
const MAX_QUERIES = 4;

/** Orders that pages of lists showed, until a window that was read whole holds their times: they exist, whatever is proven. */
export class SeenOrders {
  readonly #shop: ShopZone;
  readonly #seen = new Map<string, SeenOrder>();
  /** Identifiers that came with two times: of one order that moved, or of two, none of which has it. */
  readonly #twins = new Set<string>();
  /** Identifiers of the window that was read last, of which pages of the next one show some again. */
  #last: ReadonlySet<string> = new Set();
  /** Identifiers that came since then. */
  readonly #fresh = new Set<string>();
  #due = EVER;

  constructor(shop: ShopZone) {
    this.#shop = shop;
  }

  /** @param due what is read from now on */
  begin(due: Window): void {
    this.#due = due;
    for (const seen of this.#seen.values()) seen.query = undefined;
  }

  note(asked: OrdersQuery, { rows, outdated }: Pick<OrdersPage, 'rows' | 'outdated'>): void {
    const isOutdated = outdated !== undefined;
    for (const row of rows) {
      const created = createdMinute(row.raw, this.#shop);
      const before = this.#seen.get(row.orderId);
      if (before !== undefined && rowKey(before.row) !== rowKey(row)) this.#twins.add(row.orderId);
      if (created === undefined || (isOutdated && before?.isOutdated === false)) continue;
      const isDue = before?.isDue === true || isInWindow(this.#due, created);
      const query = isOutdated ? undefined : asked;
      this.#fresh.add(row.orderId);
      this.#seen.set(row.orderId, { row, created, isOutdated, isDue, query });
    }
  }

  /**
   * Rows of this window that other lists show, before it was read and still, and that its own does not. One that is known
   * by its day alone is listed with another part of that day, and is not looked for again.
   */
  async lackingIn(deps: ListDeps, { window, rows }: WholeWindow): Promise<readonly ListRow[]> {
    const own = new Set(rows.map(({ orderId }) => orderId));
    const isOwn = ({ raw }: ListRow) => {
      const created = createdMinute(raw, this.#shop);
      return created !== undefined && isInWindow(window, created);
    };
    const unlisted = this.#seen
      .entries()
      .flatMap(([orderId, seen]) => {
        const { row, created, query } = seen;
        if (!own.has(orderId) && !isInWindow(window, created)) return [];
        seen.query = undefined;
        return own.has(orderId) || query === undefined ? [] : [{ row, query }];
      })
      .toArray();
    const allDay = unlisted.flatMap(({ row }) => (isAllDay(row.raw, this.#shop) ? [row] : []));
    const lacking = unlisted.filter(({ row }) => !allDay.includes(row));
    const byQuery = [...Map.groupBy(lacking, ({ query }) => query)];
    const left = byQuery.map(async ([query, seen], index) => {
      const page = index < MAX_QUERIES ? await unlessFault(requestPage(deps, query)) : undefined;
      if (page === undefined || page instanceof PageFault) return seen.map(({ row }) => row);
      // One that went meanwhile is listed no more, or at a time that the window does not hold.
      const now = new Map(page.rows.map((row) => [row.orderId, row]));
      return seen.flatMap(({ row }) => now.get(row.orderId) ?? []).filter((row) => isOwn(row));
    });
    return [...allDay, ...(await Promise.all(left)).flat()];
  }

  /** Those due above a window that were seen since what is above it was read: orders that came late, and some that were read. */
  above({ to }: Window): readonly ListRow[] {
    const isNew = ({ row: { orderId }, created, isOutdated }: SeenOrder) =>
      this.#fresh.has(orderId) && !this.#last.has(orderId) && !isOutdated && !isBefore(created, to);
    return this.left().flatMap((seen) => (isNew(seen) ? [seen.row] : []));
  }

  /** Leaves out what a window holds that was read whole, or shows not to be there. */
  drop({ window, rows }: Pick<WholeWindow, 'window' | 'rows'>): void {
    this.#last = new Set(rows.map(({ orderId }) => orderId));
    this.#fresh.clear();
    for (const { orderId } of rows) this.#seen.delete(orderId);
    for (const [orderId, { created }] of this.#seen)
      if (isInWindow(window, created)) this.#seen.delete(orderId);
  }

  /** Those due that are left, in the order in which they came. */
  left(): readonly SeenOrder[] {
    return [...this.#seen.values()].filter(({ row, isDue }) => isDue && !this.#twins.has(row.orderId));
  }
}
