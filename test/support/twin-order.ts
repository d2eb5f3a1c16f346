import type { ShopApi } from '../../src/shop-api/shop-api.ts';
import { withoutGroups } from './sweep.ts';

/** Lists show two orders under one id, so that the day of this one cannot be verified. */
export function withTwin(api: ShopApi, orderId: string): ShopApi {
  return {
    ...withoutGroups(api),
    listOrders: async (query, ...others) => {
      const page = await api.listOrders(query, ...others);
      const twins = page.rows.flatMap((row) =>
        row.orderId === orderId ? [row.raw, { ...row.raw, comment: 'another' }] : [],
      );
      const rows = page.rows.filter((row) => row.orderId !== orderId);
      return query.limit === 1 ? page : { ...page, rows, malformed: [...page.malformed, ...twins] };
    },
  };
}
