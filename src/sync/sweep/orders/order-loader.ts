import pLimit from 'p-limit';

import type { Sweep } from '../../run/context.ts';
import type { ReadDays } from './finish-window.ts';
import { type Chunk, splitIntoChunks, type LoadPlan, planLoad, writeWindow } from './load-window.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';

/** Orders requested and not yet written: keeps the shop busy while the database works, and bounds memory. */
const MAX_UNWRITTEN = 200;
/** Contents requested at once: a list request queues behind them. */
const MAX_FETCHES = 64;
/** With more orders than this still to be fetched, reading the next window can wait. */
const ENOUGH_AHEAD = 1_000;
/** Windows read and not yet written. */
const MAX_WINDOWS = 8;

/** Loads windows into the warehouse: contents are fetched in parallel, and written in list order. */
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

/** @param onFailure called at once with the error that ended a window, since no later one is loaded then */
export function createOrderLoader(sweep: Sweep, onFailure: (error: unknown) => void): OrderLoader {
  const { signal } = sweep.ports;
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
  const prepare = (listed: Listed, plan: LoadPlan, written: Promise<void>): Promise<Prepared> => {
    const ready = Promise.withResolvers<Prepared>();
    const asked = Promise.withResolvers<void>();
    waiting.push(asked.promise);
    void unwritten(async () => {
      const preparing = fetches(() => {
        asked.resolve();
        const held = plan.held.get(listed.row.orderId);
        return prepareOrder(sweep, listed, held, plan.reading.askedAt);
      });
      // Nothing more is requested from a shop that refuses; what came before is written.
      preparing.then(() => sweep.state.counters.ordersRead++, onFailure);
      ready.resolve(preparing);
      await written;
    });
    return ready.promise;
  };
  const prepareAll = (plan: LoadPlan): readonly Chunk[] =>
    splitIntoChunks(plan.toLoad).map((orders) => {
      const { promise, resolve: release } = Promise.withResolvers<void>();
      const written = Promise.race([promise, stopped]);
      const prepared = Promise.allSettled(orders.map((order) => prepare(order, plan, written)));
      return { prepared, release };
    });
  return {
    async add(reading, read) {
      const plan = await planLoad(sweep, reading);
      sweep.state.counters.ordersRead += reading.rows.length - plan.toLoad.length;
      const chunks = prepareAll(plan);
      last = last.then(() => writeWindow(sweep, plan, chunks, read));
      last.catch(onFailure);
      writing.push(last.catch(() => undefined));
      while (writing.length >= MAX_WINDOWS) await writing.shift();
      while (waiting.length > ENOUGH_AHEAD) await waiting.shift();
    },
    finish: () => last,
  };
}
