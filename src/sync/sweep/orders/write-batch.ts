import { analyzeGrownTables } from '../../../warehouse/ops/refresh-summaries.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { recordRejections } from '../../../warehouse/ops/record-rejections.ts';
import { keepPayloads, loadOrders, type OrderToLoad } from '../../../warehouse/orders/load-orders.ts';
import type { Sweep } from '../../run/context.ts';
import type { Prepared } from './prepare-order.ts';

/** New orders between two checks whether tables have grown several times over. */
const ORDERS_PER_CHECK = 1_000;

/** An order, and the instant at which the walk saw it. */
export type Observed = { readonly prepared: Prepared; readonly seenAt: Temporal.Instant };

/** Writes orders in one transaction, with their lines, history, payloads and rejections. */
export async function writeBatch({ ports, state, found }: Sweep, batch: readonly Observed[]): Promise<void> {
  const { db, lease } = ports;
  const { counters } = state;
  const orders = batch.flatMap(({ prepared: { order }, seenAt }) =>
    order === undefined ? [] : [{ ...order, seenAt, changedAt: order.changedAt ?? seenAt }],
  );
  const unread = batch.flatMap(({ prepared, seenAt }) =>
    prepared.unread === undefined ? [] : [{ ...prepared.unread, seenAt }],
  );
  const rejections = batch.flatMap(({ prepared }) => prepared.rejections);
  const keys = (found: typeof orders) => found.map(({ row }) => row.order_id);
  const fetched = orders.filter(({ lines }) => lines.kind === 'fetched');
  const added = orders.filter((order) => order.lastSeenAt === undefined).length;
  const changed = orders.filter(isChanged).length;
  if (added + changed > 0) await ports.recordRun();
  const { lines, newRejections } = await fenced(db, lease, async (tx) => {
    const lines = await loadOrders(tx, lease.shopId, orders);
    await keepPayloads(tx, lease.shopId, unread);
    const normalized = [
      { resource: 'order' as const, sourceKeys: keys(orders) },
      { resource: 'content' as const, sourceKeys: keys(fetched) },
    ];
    return { lines, newRejections: await recordRejections(tx, lease.shopId, normalized, rejections) };
  });
  // Lines that were read again, of an order that is otherwise the same.
  if (lines > 0) await ports.recordRun();
  counters.newRejections += newRejections;
  counters.rejections += rejections.length;
  const before = counters.orders_new;
  counters.orders_new += added;
  if (mayHaveGrown(before, counters.orders_new)) await analyzeGrownTables(db);
  counters.orders_changed += changed;
  for (const { prepared } of batch) {
    if (prepared.failure !== undefined && prepared.order !== undefined)
      found.lineFailures.set(prepared.order.row.order_id, prepared.failure);
  }
}

/**
 * After the first new orders of a run, since the plans made for their checks serve all later ones, and from time to
 * time.
 */
function mayHaveGrown(before: number, orders: number): boolean {
  const step = (count: number) => Math.ceil(count / ORDERS_PER_CHECK);
  return before === 0 ? orders > 0 : step(before) < step(orders);
}

function isChanged({ lastSeenAt, changedAt, seenAt }: OrderToLoad): boolean {
  return lastSeenAt !== undefined && changedAt.equals(seenAt);
}
