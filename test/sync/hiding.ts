/** A shop that keeps some of its orders back, as one does whose list and contents disagree. */
import type { ShopApi } from '../../src/shop-api/client.ts';

const NO_ORDER = '2147483646';

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
    orderAnswer: (orderId, signal) =>
      api.orderAnswer(from !== 'list' && isHidden(orderId) ? NO_ORDER : orderId, signal),
    async listOrders(query, signal) {
      const page = await api.listOrders(query, signal);
      if (from === 'content') return page;
      const rows = page.rows.filter(({ orderId }) => !isHidden(orderId));
      const received = page.received - (page.rows.length - rows.length);
      return { ...page, rows, received, total: undefined };
    },
    async orderContent(orderId, signal) {
      if (from !== 'list' && isHidden(orderId)) return { kind: 'gone' };
      return api.orderContent(orderId, signal);
    },
  });
}
