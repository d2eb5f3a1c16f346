import { isInWindow } from '../../../window.ts';
import {
  type ListRow,
  type OrdersPage,
  type OrdersQuery,
  rowKey,
} from '../../../shop-api/endpoints/list-orders.ts';
import { type ListDeps, PageFault, requestPage, unlessFault } from '../../../shop-api/paging/request-page.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';

type Stray = { readonly row: ListRow; readonly query: OrdersQuery };

/** Orders that pages showed, whatever they proved, until the window of their own time is read. */
export type Strays = {
  note(query: OrdersQuery, page: Pick<OrdersPage, 'rows' | 'outdated'>): void;
  /** Rows of this window that other lists show, before it was read and still, and that its own does not. */
  lackingIn(reading: WholeWindow): Promise<readonly ListRow[]>;
};

/** Lists that are asked for again. */
const MAX_QUERIES = 4;

export function createStrays(
  deps: ListDeps,
  readCreated: (row: ListRow) => Temporal.PlainDateTime | undefined,
): Strays {
  const seen = new Map<string, Stray>();
  /** One that went meanwhile is listed no more. */
  const isGone = async (query: OrdersQuery): Promise<(stray: Stray) => boolean> => {
    const page = await unlessFault(requestPage(deps, query));
    if (page instanceof PageFault) return () => false;
    const keys = new Set(page.rows.map(rowKey));
    return ({ row }) => !keys.has(rowKey(row));
  };
  return {
    note(query, { rows, outdated }) {
      if (outdated === undefined) for (const row of rows) seen.set(row.orderId, { row, query });
    },
    async lackingIn({ window, rows }) {
      for (const { orderId } of rows) seen.delete(orderId);
      const lacking = [...seen.values()].filter(({ row }) => {
        const created = readCreated(row);
        return created !== undefined && isInWindow(window, created);
      });
      for (const { row } of lacking) seen.delete(row.orderId);
      const byQuery = [...Map.groupBy(lacking, ({ query }) => query)];
      const left = byQuery.map(async ([query, strays], index) => {
        const wasGone = index < MAX_QUERIES ? await isGone(query) : () => false;
        return strays.filter((stray) => !wasGone(stray)).map(({ row }) => row);
      });
      return (await Promise.all(left)).flat();
    },
  };
}
