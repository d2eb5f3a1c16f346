import pLimit from 'p-limit';

import type { Sweep } from '../../run/context.ts';
import { type ComparedWindow, compareWindow } from './compare-window.ts';
import { concludeWindow, type ReadDays } from './conclude-window.ts';
import { MAX_WINDOWS } from './known-orders.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';
import { splitIntoChunks, writeChunk } from './write-orders.ts';

/** Orders requested and not yet written: keeps the shop busy while the database works, and bounds memory. */
const MAX_UNWRITTEN = 200;
/** Contents requested at once: a list request queues behind them. */
const MAX_FETCHES = 64;
/** With more orders than this still to be fetched, reading the next window can wait. */
const ENOUGH_AHEAD = 1_000;

/** Loads windows: compares them with what is stored, fetches contents in parallel, writes in list order, and concludes. */
export type OrderLoader = {
  /**
   * Takes a window that was read whole. Resolves when it is time to read the next one, usually before this one is
   * written.
   *
   * @param read days that this window completes, or leaves partly read
   */
  add(reading: WholeWindow, read: ReadDays): Promise<void>;
  /** Resolves when all windows are written. @throws the error of the first that could not be */
  finish(): Promise<void>;
};

/** Orders that are written together once all of them are prepared. */
type Chunk = {
  readonly prepared: Promise<readonly PromiseSettledResult<Prepared>[]>;
  /** Called when they are written, so that others may be fetched. */
  readonly release: () => void;
};

/** @param onFailure called at once with the error that ended a window, since no later one is loaded then */
export function createOrderLoader(sweep: Sweep, onFailure: (error: unknown) => void): OrderLoader {
  const { signal } = sweep.ports;
  const { counters } = sweep.state;
  const unwritten = pLimit(MAX_UNWRITTEN);
  const fetches = pLimit(MAX_FETCHES);
  const waiting: Promise<void>[] = [];
  const writing: Promise<void>[] = [];
  // An order that is never written must free its slot, or the orders behind it, and the reader, would wait forever.
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let last = Promise.resolve();

  /** @param written settles when the order frees its slot */
  const fetch = (listed: Listed, { held, reading }: ComparedWindow, written: Promise<void>) => {
    const ready = Promise.withResolvers<Prepared>();
    const asked = Promise.withResolvers<void>();
    waiting.push(asked.promise);
    void unwritten(async () => {
      const preparing = fetches(() => {
        asked.resolve();
        return prepareOrder(sweep, listed, held.get(listed.row.orderId), reading.askedAt);
      });
      // Nothing more is requested from a shop that refuses; what came before is written.
      preparing.then(() => counters.ordersRead++, onFailure);
      ready.resolve(preparing);
      await written;
    });
    return ready.promise;
  };
  const fetchAll = (compared: ComparedWindow): readonly Chunk[] =>
    splitIntoChunks(compared.toLoad).map((orders) => {
      const { promise, resolve: release } = Promise.withResolvers<void>();
      const written = Promise.race([promise, stopped]);
      const prepared = Promise.allSettled(orders.map((order) => fetch(order, compared, written)));
      return { prepared, release };
    });
  return {
    async add(reading, read) {
      const compared = await compareWindow(sweep, reading);
      counters.ordersRead += reading.rows.length - compared.toLoad.length;
      const chunks = fetchAll(compared);
      last = last.then(async () => {
        await writeChunks(sweep, chunks);
        await concludeWindow(sweep, compared, read);
      });
      last.catch(onFailure);
      writing.push(last.catch(() => undefined));
      while (writing.length >= MAX_WINDOWS) await writing.shift();
      while (waiting.length > ENOUGH_AHEAD) await waiting.shift();
    },
    finish: () => last,
  };
}

async function writeChunks(sweep: Sweep, chunks: readonly Chunk[]): Promise<void> {
  for (const { prepared, release } of chunks) {
    const orders = await prepared;
    // Write what came before the shop refused more, or a shop with a small quota would never make progress.
    const ready = orders.flatMap((order) => (order.status === 'fulfilled' ? [order.value] : []));
    await writeChunk(sweep, ready);
    release();
    const failed = orders.find((order) => order.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
