import type { Presence } from '../../../plan/orders/unlisted.ts';
import type { ListRow, OrdersQuery } from '../../../shop-api/endpoints/list-orders.ts';
import { unknownProfile } from '../../../shop-api/paging/page-profile.ts';
import { readList } from '../../../shop-api/paging/read-list.ts';
import type { Contact } from '../../../warehouse/orders/order-persons.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Ports } from '../../run/context.ts';
import { asRecordFault } from '../../ask/record-faults.ts';

/** Gives up on a buyer with more pages of orders; the order is found when its new day is due. */
const MAX_BUYER_PAGES = 10;
/** List requests that check "gone" answers that a temporary fault would give too. */
const MAX_SEEMINGLY_GONE = 10;

/** An order that its window's list omitted, and what the shop said about it. */
type Asked = {
  readonly order: HeldOrder;
  readonly presence: Presence | 'seems-gone';
  readonly contact: Contact | undefined;
};

type AskPorts = Pick<Ports, 'api' | 'shop' | 'signal'>;

/**
 * Looks for orders in other lists than their window's: orders that are still served, since they may have moved, and a
 * few that only seem to be gone, since list and content may have failed at the same time.
 */
export async function lookElsewhere(
  { ports }: { readonly ports: AskPorts },
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, ListRow>> {
  const served = asked.filter(({ order, presence }) => presence === 'served' && !order.isMarked);
  const seeming = asked.filter(({ presence }) => presence === 'seems-gone').slice(0, MAX_SEEMINGLY_GONE);
  const rows = await Promise.all(
    [...served, ...seeming].map(async ({ order, contact }) => ({
      orderId: order.orderId,
      row: contact && (await findRow(ports, order.orderId, contact)),
    })),
  );
  return new Map(rows.flatMap(({ orderId, row }) => (row === undefined ? [] : [[orderId, row]])));
}

/** Looks for an order among its buyer's, page by page, since the list cannot be filtered by order id. */
async function findRow(
  { api, shop, signal }: AskPorts,
  orderId: string,
  contact: Contact,
): Promise<ListRow | undefined> {
  const query = queryFor(contact);
  if (query === undefined) return undefined;
  let row: ListRow | undefined;
  try {
    await readList(
      async (start) => api.listOrders({ ...query, start, limit: shop.pageLimit }, signal),
      { profile: unknownProfile(shop.pageLimit), maxPages: MAX_BUYER_PAGES },
      ({ rows }) => (row = rows.find((listed) => listed.orderId === orderId)) !== undefined,
    );
  } catch (error) {
    asRecordFault(error, signal);
  }
  return row;
}

function queryFor({ buyerOid, email, phone, name }: Contact): OrdersQuery | undefined {
  if (buyerOid !== null) return { masterOid: buyerOid };
  if (email !== null) return { email };
  if (phone !== null) return { phone };
  return name === null ? undefined : { fio: name };
}
