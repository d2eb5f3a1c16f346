import { nextStep } from '../../../next-step.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { type HeldOrder, readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import { attempt } from '../../ask/record-faults.ts';
import type { Sweep } from '../../run/context.ts';
import { loadListed } from './write-orders.ts';

/**
 * Reads orders that somebody named, each where it was placed, with their lines, and loads them.
 *
 * @returns a sentence for each that could not be read
 * @throws TerminalError, UnavailableError when the shop refuses more than one of them
 */
export async function sweepNamed(sweep: Sweep, orderIds: readonly string[]): Promise<readonly string[]> {
  const { db, lease, now } = sweep.ports;
  const seenAt = now();
  const held = new Map(
    (await readOrdersById(db, lease.shopId, orderIds)).map((order) => [order.orderId, order]),
  );
  const asked = await Promise.all(
    orderIds.map(async (orderId) => {
      const stored = held.get(orderId);
      const row = stored && (await findListed(sweep, stored));
      return { row, problem: row ? undefined : await explainUnread(sweep, orderId, stored !== undefined) };
    }),
  );
  const rows = asked.flatMap(({ row }) => row ?? []);
  sweep.state.counters.orders_seen += rows.length;
  await loadListed(sweep, rows, held, seenAt);
  return asked.flatMap(({ problem }) => problem ?? []);
}

/** The list alone says what an order is; it is asked for the minutes around the one in which the order was placed. */
async function findListed(
  { ports }: Sweep,
  { orderId, createdMinute }: HeldOrder,
): Promise<ListRow | undefined> {
  const { api, shop, signal } = ports;
  if (createdMinute === undefined) return undefined;
  const minute = Temporal.PlainDateTime.from(createdMinute);
  const dates = { dateFrom: minute.subtract({ minutes: 1 }), dateTo: minute.add({ minutes: 2 }) };
  const page = await attempt(api.listOrders({ ...dates, limit: shop.pageLimit }, signal), signal);
  return page?.rows.find((row) => row.orderId === orderId);
}

async function explainUnread({ ports }: Sweep, orderId: string, isStored: boolean): Promise<string> {
  const { api, shop, signal } = ports;
  const content = await attempt(api.orderContent(orderId, signal), signal);
  if (content?.kind === 'gone' && !isStored) return `the shop has no order ${orderId}`;
  const where = isStored
    ? `the shop does not list order ${orderId} where it was placed`
    : `order ${orderId} is not in the warehouse`;
  return `${where}; ${nextStep('repair', { shop: shop.shopKey })} compares all orders, and loads what differs`;
}
