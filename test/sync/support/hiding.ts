/** A shop that keeps some of its orders back, as one does whose list and contents disagree. */
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';

const NO_ORDER = '2147483646';
const USUAL_LIMIT = 100;
const ALL = 10_000;

/**
 * Stands between sweep and shop.
 *
 * @param hidden identifiers; they may change while it stands
 */
export function hiding(
  hidden: ReadonlySet<number>,
  from: 'list' | 'content' | 'list and content',
): (api: ShopApi) => ShopApi {
  const isHidden = (orderId: string) => hidden.has(Number(orderId));
  return (api) => ({
    ...api,
    orderResponse: (orderId, signal) =>
      api.orderResponse(from !== 'list' && isHidden(orderId) ? NO_ORDER : orderId, signal),
    async listOrders(query, signal) {
      if (from === 'content') return api.listOrders(query, signal);
      const { start = 0, limit = USUAL_LIMIT, ...filters } = query;
      const page = await api.listOrders({ ...filters, start: 0, limit: ALL }, signal);
      const rows = page.rows.filter(({ orderId }) => !isHidden(orderId)).slice(start, start + limit);
      const keys = rows.map(({ orderId }) => orderId);
      return { ...page, rows, keys, received: rows.length, total: undefined };
    },
    async orderContent(orderId, signal) {
      if (from !== 'list' && isHidden(orderId)) return { kind: 'gone' };
      return api.orderContent(orderId, signal);
    },
  });
}
