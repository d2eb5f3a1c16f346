import pLimit from 'p-limit';

import { allowance, MAX_BATCH } from '../../../plan/load/allowance.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { createOrderFetcher } from './fetch-orders.ts';
import { type Listed, toListed } from './prepare-order.ts';
import { type Observed, writeBatch } from './write-batch.ts';

/**
 * Batches of orders that are requested and not yet written: more than one keeps the shop busy while the database works, and
 * few bound the memory, and what is lost with a process that is killed.
 */
const UNWRITTEN_BATCHES = 2;

/** Orders by id, each from the moment that it is to be written until it is. */
export type Underway = Pick<ReadonlyMap<string, unknown>, 'has' | 'size'>;

/** Fetches the lines of listed orders in parallel, and writes what has come, so that no order waits for a slow one. */
export type OrderWriter = {
  readonly underway: Underway;
  /** Resolves when so many orders are written that requests of other kinds may go beside theirs. */
  readonly begun: Promise<void>;
  /** How many more orders may be fetched ahead of the proof that they are all, so that no slot is idle meanwhile. */
  readonly roomAhead: number;
  /** Fetches the lines of an order that is not stored, to be written when its list has turned out to be whole. */
  fetchAhead(listed: Listed): void;
  /** Of the orders that were fetched ahead, those that have come and are not written. */
  fetchedAhead(): readonly Listed[];
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
  const fetcher = createOrderFetcher(sweep);
  const underway = new Map<string, Promise<void>>();
  const ready: (Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> & Observed)[] = [];
  const begun = Promise.withResolvers<void>();
  let [fetching, written] = [0, 0];
  let writing = Promise.resolve();
  /** If nothing else is on its way, as where the shop refuses to go on, what has come is written too. */
  const isEnough = () => ready.length >= allowance(written) || (fetching === 0 && ready.length > 0);
  const writeReady = async () => {
    while (isEnough()) {
      const batch = ready.splice(0, MAX_BATCH);
      try {
        await writeBatch(sweep, batch);
        written += batch.length;
        if (written >= MAX_BATCH) begun.resolve();
        unwritten.concurrency = UNWRITTEN_BATCHES * allowance(written);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  };
  return {
    underway,
    begun: begun.promise,
    get roomAhead() {
      return unwritten.concurrency - fetcher.ahead - unwritten.activeCount - unwritten.pendingCount;
    },
    fetchAhead(listed) {
      if (!underway.has(listed.row.orderId)) fetcher.fetchAhead(listed);
    },
    fetchedAhead: () => fetcher.come(),
    async write(listed, held, seenAt, onAsked) {
      const { orderId } = listed.row;
      const earlier = underway.get(orderId);
      const own = unwritten(async () => {
        await earlier?.catch(() => undefined);
        fetching++;
        const { promise, ...settle } = Promise.withResolvers<void>();
        try {
          const prepared = await fetcher.fetch(listed, held, onAsked);
          sweep.state.counters.ordersRead++;
          ready.push({ ...settle, prepared, seenAt });
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

/**
 * Loads orders from lists other than a window's.
 *
 * @param held orders that are stored, by id
 * @throws the first error, when all else that came is written
 */
export async function loadListed(
  sweep: Sweep,
  rows: readonly ListRow[],
  held: ReadonlyMap<string, HeldOrder>,
  seenAt: Temporal.Instant,
  writer: Pick<OrderWriter, 'write'> = createOrderWriter(sweep),
): Promise<void> {
  const listed = rows.map((row) => toListed(sweep.ports.privacy, row));
  await settleAll(listed.map((order) => writer.write(order, held.get(order.row.orderId), seenAt)));
}

/** Waits for all, even after a failure. @throws the first error */
export async function settleAll(given: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(given)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
