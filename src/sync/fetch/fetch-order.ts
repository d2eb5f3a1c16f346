import type { ShopZone } from '../../normalize/local-time.ts';
import type { LineRow } from '../../normalize/lines.ts';
import { normalizeLines } from '../../normalize/lines.ts';
import { contentLines } from '../../shop-api/endpoints/get-order-content.ts';
import { unknownProfile } from '../../shop-api/paging/page-profile.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { type ColumnDifference, findDifferences } from '../../warehouse/orders/compare-orders.ts';
import { readOrdersById } from '../../warehouse/orders/stored-orders.ts';
import { findListed } from '../ask/find-listed.ts';
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

type FetchPorts = {
  readonly api: ShopApi;
  readonly db: Db;
  readonly now: () => Temporal.Instant;
  readonly signal: AbortSignal;
};

/**
 * Asks for one order. The shop's list cannot be asked for it by its number, so it is asked for the minutes around the one in
 * which the warehouse says that the order was placed.
 *
 * @param shopId undefined where the warehouse has no such shop
 * @throws TerminalError, TransientError
 */
export async function fetchOrder(
  { api, db, now, signal }: FetchPorts,
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
  const run = { ports: { api, now, shop, signal }, state: { profile: unknownProfile(shop.pageLimit) } };
  const at = held.createdMinute;
  const row = at && (await findListed(run, orderId, Temporal.PlainDateTime.from(at)));
  const order = row ? toFetchedOrder(row.raw, shop) : undefined;
  const { isStripped, differences } = await findDifferences(db, shopId, orderId, order?.row, lines ?? []);
  const stored = isStripped ? 'hidden' : 'compared';
  return { order, lines, stored, differences: isStripped ? [] : differences };
}
