import { TransientError } from '../../model/errors.ts';
import { isJsonObject } from '../../model/json.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { elementId, type ListRow, type OrdersPage } from '../../shop-api/endpoints/list-orders.ts';
import { readList, UNPLACED } from '../../shop-api/paging/list.ts';
import type { ListDeps } from '../../shop-api/paging/request-page.ts';

/** Some shops filter by whole days. */
const MARGINS = [{ minutes: 1 }, { days: 1 }];
const MAX_PAGES = 20;

/**
 * Looks for an order where it was placed: the list cannot be asked for it by its number. Pages are read until one shows it.
 *
 * @param minute the one in which it was placed, shop-local
 * @returns undefined where it is not listed there
 * @throws TransientError where that is unclear, since the list could not be read to its end; what `listOrders` throws
 */
export async function findListed(
  { book, shop, ...ports }: ListDeps & { readonly shop: ShopZone },
  orderId: string,
  minute: Temporal.PlainDateTime,
): Promise<ListRow | undefined> {
  const readCreated = ({ raw }: ListRow) => createdMinute(raw, shop);
  // Whatever the dates select by, a row that is the order's own shows it.
  const deps = { ...ports, book: { ...book, isByCreation: true }, readCreated };
  const isWanted = (row: ListRow) => row.orderId === orderId;
  for (const margin of MARGINS) {
    const dates = { from: minute.subtract(margin), to: minute.add(margin) };
    const list = await readList(deps, dates, {
      maxPages: MAX_PAGES,
      isEnough: ({ rows }) => rows.some(isWanted),
    });
    const row = list.rows.find(isWanted);
    if (row !== undefined) return row;
    if (list.kind === 'whole') continue;
    const text = `the list around ${minute.toString({ smallestUnit: 'minute' })} could not be read to its end`;
    throw new TransientError(text, { scope: 'record' });
  }
  return undefined;
}

/** Why elements without a unique id cannot be read, and the days that stay unverified: none where they have no readable date. */
export function describeMalformed(elements: OrdersPage['malformed'], shop: ShopZone) {
  const found = elements.flatMap((value) => {
    const orderId = elementId(value);
    const created = isJsonObject(value) ? createdMinute(value, shop) : undefined;
    if (orderId !== undefined && created === undefined) return [];
    const reason = created === undefined ? UNPLACED : unidentifiedReason(orderId);
    return [{ reason, day: created?.toPlainDate().toString() }];
  });
  return [...Map.groupBy(found, ({ reason }) => reason)].map(([reason, same]) => ({
    reason,
    days: [...new Set(same.flatMap(({ day }) => day ?? []))],
  }));
}

/** Why an order cannot be read. @param orderId undefined: it has none that can be stored */
export function unidentifiedReason(orderId: string | undefined): string {
  return orderId === undefined
    ? 'the shop lists an order whose order_id is no 64-bit integer, so it cannot be stored'
    : `the shop lists two different orders under the order_id ${orderId}, so they cannot be distinguished`;
}
