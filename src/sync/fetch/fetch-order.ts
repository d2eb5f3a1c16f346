import type { ShopZone } from '../../normalize/local-time.ts';
import type { LineRow } from '../../normalize/line-fields.ts';
import { normalizeLines } from '../../normalize/lines.ts';
import { contentLines } from '../../shop-api/endpoints/get-order-content.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { findDifferences, type ColumnDifference } from '../../warehouse/orders/column-differences.ts';
import { readOrdersById } from '../../warehouse/orders/stored-orders.ts';
import { type FetchedOrder, toFetchedOrder } from './fetch-lists.ts';

/** An order as the shop has it, and where the warehouse has it otherwise. */
export type ComparedOrder = {
  /** As the list has it; undefined where it is not known when the order was placed, or it is not listed there. */
  readonly order: FetchedOrder | undefined;
  /** Undefined where the shop has no such order. */
  readonly lines: readonly LineRow[] | undefined;
  /** `hidden`: it is stored without its person, or persons are hidden, and not compared. */
  readonly stored: 'absent' | 'hidden' | 'compared';
  readonly differences: readonly ColumnDifference[];
};

/**
 * Asks for one order. The shop's list cannot be asked for it by its number, so it is asked for the minutes around the one in
 * which the warehouse says that the order was placed.
 *
 * @param shopId undefined where the warehouse has no such shop
 * @throws TerminalError, TransientError
 */
export async function fetchOrder(
  { api, db, signal }: { readonly api: ShopApi; readonly db: Db; readonly signal: AbortSignal },
  shop: ShopZone & { readonly pageLimit: number },
  shopId: number | undefined,
  orderId: string,
): Promise<ComparedOrder> {
  const content = await api.orderContent(orderId, signal);
  const lines =
    content.kind === 'gone' ? undefined : normalizeLines(orderId, contentLines(content.raw) ?? []).rows;
  const [held] = shopId === undefined ? [] : await readOrdersById(db, shopId, [orderId]);
  if (shopId === undefined || held === undefined) {
    return { order: undefined, lines, stored: 'absent', differences: [] };
  }
  const order = await findListed(api, shop, orderId, held.createdMinute, signal);
  const { isStripped, differences } = await findDifferences(db, shopId, orderId, order?.row, lines ?? []);
  const stored = isStripped ? 'hidden' : 'compared';
  return { order, lines, stored, differences: isStripped ? [] : differences };
}

async function findListed(
  api: ShopApi,
  shop: ShopZone & { readonly pageLimit: number },
  orderId: string,
  createdMinute: string | undefined,
  signal: AbortSignal,
): Promise<FetchedOrder | undefined> {
  if (createdMinute === undefined) return undefined;
  const minute = Temporal.PlainDateTime.from(createdMinute);
  const dates = { dateFrom: minute.subtract({ minutes: 1 }), dateTo: minute.add({ minutes: 2 }) };
  const { rows } = await api.listOrders({ ...dates, limit: shop.pageLimit }, signal);
  const row = rows.find((each) => each.orderId === orderId);
  return row && toFetchedOrder(row.raw, shop);
}
