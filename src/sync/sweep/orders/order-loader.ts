import pLimit from 'p-limit';

import type { Sweep } from '../../run/context.ts';
import type { ReadDays } from './finish-window.ts';
import { type Chunk, chunksOf, type LoadPlan, planLoad, writeWindow } from './load-window.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';
import type { WholeWindow } from './read-windows.ts';

/** Orders asked for and not yet written: what the shop is asked while the database is busy, and the bound of the memory. */
const MAX_UNWRITTEN = 200;
/** Contents asked for at once: a list request waits behind them for its turn. */
const MAX_FETCHES = 64;
/** While so many orders are still to be asked for, there is time to read the next window. */
const ENOUGH_AHEAD = 1_000;
/** Windows that are read and not yet written. */
const MAX_WINDOWS = 8;

/** Brings windows into the warehouse: contents are fetched side by side, and written in the order of the list. */
export type OrderLoader = {
  /**
   * Takes a window that was read whole. Settles when it is time to read the next one, which is before this one is
   * written.
   *
   * @param read days that this window completes, or leaves partly read
   */
  add(reading: WholeWindow, read: ReadDays): Promise<void>;
  /** Settles when all windows are written. @throws what ended the first that could not be */
  finish(): Promise<void>;
};

/** @param onFailure told at once what ended the loading of a window, since no later one is loaded then */
export function createOrderLoader(sweep: Sweep, onFailure: (error: unknown) => void): OrderLoader {
  const { signal } = sweep.ports;
  const unwritten = pLimit(MAX_UNWRITTEN);
  const fetches = pLimit(MAX_FETCHES);
  const waiting: Promise<void>[] = [];
  const writing: Promise<void>[] = [];
  // What is never written must not keep its room: orders behind it would wait for ever, and with them who lists them.
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let last = Promise.resolve();

  /** @param written settles when the room that the order takes is free again */
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
      // Nothing more is asked of a shop that refuses; what came until then is written.
      preparing.catch(onFailure);
      ready.resolve(preparing);
      await written;
    });
    return ready.promise;
  };
  const prepareAll = (plan: LoadPlan): readonly Chunk[] =>
    chunksOf(plan.toLoad).map((orders) => {
      const { promise, resolve: release } = Promise.withResolvers<void>();
      const written = Promise.race([promise, stopped]);
      const prepared = Promise.allSettled(orders.map((order) => prepare(order, plan, written)));
      return { prepared, release };
    });
  return {
    async add(reading, read) {
      const plan = await planLoad(sweep, reading);
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
