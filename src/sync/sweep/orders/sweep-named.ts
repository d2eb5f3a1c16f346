import { missingOrder, missingText } from '../../../model/missing-orders.ts';
import { nextStep } from '../../../model/next-step.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { makeDue } from '../../../warehouse/ops/ledger.ts';
import { type StoredOrder, readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import { findListed } from '../../ask/find-listed.ts';
import { asRecordFault } from '../../ask/record-faults.ts';
import type { Sweep } from '../../run/context.ts';
import { OrderQueue } from './order-queue.ts';

/**
 * Reads orders that somebody named, each where it was placed, with their lines, and loads them.
 *
 * @returns a sentence for each that could not be read
 * @throws TerminalError, UnavailableError when the shop refuses more than one of them
 */
export async function sweepNamed(sweep: Sweep, orderIds: readonly string[]): Promise<readonly string[]> {
  const { db, lease, now, privacy } = sweep.ports;
  const seenAt = now();
  const stored = await readOrdersById(db, lease.shopId, orderIds);
  const asked = await Promise.all(
    orderIds.map(async (orderId) => readNamed(sweep, orderId, stored.get(orderId))),
  );
  const rows = asked.flatMap(({ row }) => row ?? []);
  sweep.state.counters.orders_seen += rows.length;
  const listed = rows.map((row) => {
    return { row, fingerprint: privacy.fingerprint(row.raw), stored: stored.get(row.orderId), seenAt };
  });
  await new OrderQueue(sweep).load(listed);
  return asked.flatMap(({ problem }) => problem ?? []);
}

type Named = { readonly row?: ListRow | undefined; readonly problem?: string };

async function readNamed(sweep: Sweep, orderId: string, stored: StoredOrder | undefined): Promise<Named> {
  const list = { ...sweep.ports, book: sweep.state };
  const at = stored?.createdMinute;
  try {
    const row = at && (await findListed(list, orderId, at));
    return row ? { row } : { problem: await explainUnread(sweep, orderId, stored) };
  } catch (error) {
    return { problem: `order ${orderId}: ${asRecordFault(error, sweep.ports.signal).message}` };
  }
}

async function explainUnread(
  { ports }: Sweep,
  orderId: string,
  stored: StoredOrder | undefined,
): Promise<string> {
  const { questions, shop, signal } = ports;
  if ((await questions.presence(orderId, signal)) === 'gone') {
    const more = stored === undefined ? [] : [await followGone(ports, stored)];
    return [`the shop has no order ${orderId}`, ...more].join('; ');
  }
  const where = stored
    ? `the shop does not list order ${orderId} where it was placed`
    : `order ${orderId} is not in the warehouse`;
  return `${where}; ${nextStep('repair', { shop: shop.shopKey })} compares all orders, and loads what differs`;
}

/** Makes the day of an order that is gone due, unless that is known already. @returns what becomes of it */
async function followGone(
  { db, lease, now }: Sweep['ports'],
  { createdOn, isMarked, missingSince }: StoredOrder,
): Promise<string> {
  const missing = missingOrder(missingSince);
  if (missing !== undefined) return missingText(missing, now());
  if (isMarked) return 'it is marked as deleted in the warehouse';
  await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, createdOn === null ? [] : [createdOn]));
  return 'the next sync reads its day again';
}
