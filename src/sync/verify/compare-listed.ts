import { fingerprint } from '../../normalize/fingerprint.ts';
import { createdMinute, normalizeOrder, type OrderRow } from '../../normalize/order.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { findDifferingOrders } from '../../warehouse/orders/compare-orders.ts';
import { readOrdersById } from '../../warehouse/orders/stored-orders.ts';
import type { Ports } from '../run/context.ts';

/** One order that differs between shop and warehouse. */
export type OrderDifference = {
  readonly orderId: string;
  /** Day in the shop, or in the warehouse where the shop does not list it; undefined where it has none. */
  readonly day: string | undefined;
  readonly kind: 'not in the warehouse' | 'not in the shop' | 'differs';
};

export type ComparedOrders = {
  /** The shop's orders as they would be held. */
  readonly rows: readonly OrderRow[];
  readonly differences: readonly OrderDifference[];
};

/**
 * Compares listed orders with what is held: by fingerprint, and by the columns themselves, which another hand may have
 * changed.
 *
 * @param comparesColumns false where they were made by an older normalizer, and may rightly differ
 */
export async function compareListed(
  { db, lease, shop }: Pick<Ports, 'db' | 'lease' | 'shop'>,
  listed: readonly ListRow[],
  comparesColumns: boolean,
): Promise<ComparedOrders> {
  const ids = listed.map((row) => row.orderId);
  const held = await readOrdersById(db, lease.shopId, ids);
  const live = new Map(held.filter((order) => !order.isMarked).map((order) => [order.orderId, order]));
  const rows = listed.flatMap(({ raw }) => normalizeOrder(raw, shop).row ?? []);
  const unlike = new Set(comparesColumns ? await findDifferingOrders(db, lease.shopId, rows) : []);
  const differences = listed.flatMap(({ orderId, raw }): OrderDifference[] => {
    const stored = live.get(orderId);
    if (stored?.fingerprint === fingerprint(raw) && !unlike.has(orderId)) return [];
    const kind = stored === undefined ? 'not in the warehouse' : 'differs';
    return [{ orderId, day: createdMinute(raw, shop)?.toPlainDate().toString(), kind }];
  });
  return { rows, differences };
}
