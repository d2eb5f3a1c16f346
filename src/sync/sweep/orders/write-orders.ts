import pLimit from 'p-limit';

import { allowance, MAX_BATCH } from '../../../plan/load/allowance.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { analyzeGrownTables } from '../../../warehouse/db/statistics.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { recordRejections } from '../../../warehouse/ops/record-rejections.ts';
import { keepPayloads, loadOrders, type OrderToLoad } from '../../../warehouse/orders/load-orders.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { type Listed, type Prepared, prepareOrder, toListed } from './prepare-order.ts';

/**
 * Batches of orders that are requested and not yet written: more than one keeps the shop busy while the database works, and
 * few bound the memory, and what is lost with a process that is killed.
 */
const UNWRITTEN_BATCHES = 2;
/** Contents requested at once: a list request queues behind them. */
const MAX_FETCHES = 64;
/** New orders between two checks whether tables have grown several times over. */
const ORDERS_PER_CHECK = 1_000;

/** Orders by id, each from the moment that it is to be written until it is. */
export type Underway = Pick<ReadonlyMap<string, unknown>, 'has' | 'size'>;

/** Fetches the lines of listed orders in parallel, and writes what has come, so that no order waits for a slow one. */
export type OrderWriter = {
  readonly underway: Underway;
  /**
   * Resolves when an order is written. Of two observations of one order the later one wins.
   *
   * @param onAsked called when its lines are being requested
   * @throws what its lines failed with, if the shop refuses more than this order, or why it could not be written
   */
  write(
    listed: Listed,
    held: HeldOrder | undefined,
    seenAt: Temporal.Instant,
    onAsked?: () => void,
  ): Promise<void>;
};

export function createOrderWriter(sweep: Sweep): OrderWriter {
  const unwritten = pLimit(UNWRITTEN_BATCHES * allowance(0));
  const fetches = pLimit(MAX_FETCHES);
  const underway = new Map<string, Promise<void>>();
  const ready: (Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> & { readonly order: Prepared })[] = [];
  let [fetching, written] = [0, 0];
  let writing = Promise.resolve();
  /** If nothing else is on its way, as where the shop refuses to go on, what has come is written too. */
  const isEnough = () => ready.length >= allowance(written) || (fetching === 0 && ready.length > 0);
  const writeReady = async () => {
    while (isEnough()) {
      const batch = ready.splice(0, MAX_BATCH);
      try {
        const orders = batch.map(({ order }) => order);
        await writeBatch(sweep, orders);
        written += batch.length;
        unwritten.concurrency = UNWRITTEN_BATCHES * allowance(written);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  };
  return {
    underway,
    async write(listed, held, seenAt, onAsked) {
      const { orderId } = listed.row;
      const earlier = underway.get(orderId);
      const own = unwritten(async () => {
        await earlier?.catch(() => undefined);
        fetching++;
        const { promise, ...settle } = Promise.withResolvers<void>();
        try {
          const order = await fetches(() => {
            onAsked?.();
            return prepareOrder(sweep, listed, held, seenAt);
          });
          sweep.state.counters.ordersRead++;
          ready.push({ ...settle, order });
        } finally {
          fetching--;
          if (isEnough()) writing = writing.then(writeReady);
        }
        await promise;
      });
      underway.set(orderId, own);
      try {
        await own;
      } finally {
        if (underway.get(orderId) === own) underway.delete(orderId);
      }
    },
  };
}

/** Loads orders from lists other than a window's. @throws the first error, when all else that came is written */
export async function loadListed(
  sweep: Sweep,
  rows: readonly ListRow[],
  held: ReadonlyMap<string, HeldOrder>,
  seenAt: Temporal.Instant,
): Promise<void> {
  const writer = createOrderWriter(sweep);
  const listed = rows.map((row) => toListed(sweep.ports.privacy, row));
  await settleAll(listed.map((order) => writer.write(order, held.get(order.row.orderId), seenAt)));
}

/** Waits for all, even after a failure. @throws the first error */
export async function settleAll(given: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(given)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Writes orders in one transaction, with their lines, history, payloads and rejections. */
async function writeBatch({ ports, state }: Sweep, prepared: readonly Prepared[]): Promise<void> {
  const { db, lease } = ports;
  const { counters, problems } = state;
  const orders = prepared.flatMap(({ order }) => order ?? []);
  const unread = prepared.flatMap((order) => order.unread ?? []);
  const rejections = prepared.flatMap((order) => order.rejections);
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
  problems.push(...prepared.flatMap(({ failure }) => failure ?? []));
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
