import { TransientError } from '../../errors.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { readMatching } from '../../shop-api/paging/read-list.ts';
import type { ListDeps } from '../../shop-api/paging/request-page.ts';

export type ListRun = {
  readonly ports: Omit<ListDeps, 'book'> & { readonly shop: ShopZone };
  readonly state: ListDeps['book'];
};

/** Some shops filter by whole days. */
const MARGINS = [{ minutes: 1 }, { days: 1 }];
const MAX_PAGES = 20;

/**
 * Looks for an order where it was placed: the list cannot be asked for it by its number. Pages are read until one shows it.
 *
 * @param minute the one in which it was placed, shop-local
 * @param margins to look around it, one after the other @default a minute, and then a day
 * @returns undefined where it is not listed there
 * @throws TransientError where that is unclear, since the list could not be read to its end; what `listOrders` throws
 */
export async function findListed(
  { ports, state }: ListRun,
  orderId: string,
  minute: Temporal.PlainDateTime,
  margins: readonly Temporal.DurationLike[] = MARGINS,
  maxPages = MAX_PAGES,
): Promise<ListRow | undefined> {
  const readCreated = ({ raw }: ListRow) => createdMinute(raw, ports.shop);
  // Whatever the dates select by, a row that is the order's own shows it.
  const deps = { ...ports, book: { ...state, dateFilter: 'created' as const }, readCreated };
  const isWanted = (row: ListRow) => row.orderId === orderId;
  for (const margin of margins) {
    const dates = { from: minute.subtract(margin), to: minute.add(margin) };
    const list = await readMatching(deps, dates, { maxPages }, ({ rows }) => rows.some(isWanted));
    const row = list.rows.find(isWanted);
    if (row !== undefined) return row;
    if (list.verdict === 'complete' || list.verdict === 'few') continue;
    const text = `the list around ${minute.toString({ smallestUnit: 'minute' })} could not be read to its end`;
    throw new TransientError(text, { scope: 'record' });
  }
  return undefined;
}
