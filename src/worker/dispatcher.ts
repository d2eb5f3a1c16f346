import { schedule } from 'node-cron';

import type { Logger } from '../sync/run/context.ts';
import { databaseSentence } from '../warehouse/db/database-error.ts';
import type { SweepQueue } from './queue.ts';

type DispatcherDeps = {
  /** Keys of the shops that the warehouse holds. */
  readonly readKnownShops: () => Promise<readonly string[]>;
  /** The configured shops, now. */
  readonly shops: () => readonly { readonly shopKey: string }[];
  readonly queue: Pick<SweepQueue, 'add'>;
  /** When to send sweeps, a cron expression in UTC. */
  readonly cron: string;
  /** Number of shops that one worker sweeps at once. */
  readonly slots: number;
  readonly logger: Logger;
};

type Dispatcher = Disposable & {
  /** Sends a sweep of every shop now. */
  sendAll(): void;
};

/** How often the system clock is compared with the monotonic one, and by how much it may have moved against it. */
const CLOCK_CHECK_MS = 5_000;
const CLOCK_MOVED_MS = 1_000;

/** By how much the system clock is ahead of the monotonic one: it changes when somebody sets the clock. */
const clockOffsetMs = () => Date.now() - performance.now();

/**
 * Sends a sweep of every shop now, and then at every tick, spread over it. Missed or repeated ticks only shift the time
 * of a sweep: the ledger decides what is due. A tick is the same moment for every worker. When the clock is set, the schedule
 * starts anew, since it would wait for the time that its next tick has by the old one.
 */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { cron, slots, logger } = deps;
  const send = createSender(deps);
  const timers = new Set<NodeJS.Timeout>();
  const sendLogged = async (shopKeys: readonly string[], tick?: Date) => {
    try {
      await send(shopKeys, tick);
    } catch (error) {
      logger.warn({ reason: databaseSentence(error) }, 'sweeps not sent');
    }
  };
  const readKeys = () => deps.shops().map(({ shopKey }) => shopKey);
  const start = () =>
    schedule(cron, ({ date: at }) => tick(at), { timezone: 'UTC', suppressMissedWarning: true });
  let [task, offsetMs] = [start(), clockOffsetMs()];
  const tick = (at: Date) => {
    const nextMs = task.getNextRun()?.getTime() ?? Number.POSITIVE_INFINITY;
    const spanMs = Math.min(MAX_SPAN_MS, nextMs - at.getTime());
    for (const { afterMs, shopKeys } of spreadShops(readKeys(), spanMs, slots)) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        void sendLogged(shopKeys, at);
      }, afterMs);
      timers.add(timer);
    }
  };
  const sendAll = () => void sendLogged(readKeys());
  sendAll();
  const checking = setInterval(() => {
    if (Math.abs(clockOffsetMs() - offsetMs) < CLOCK_MOVED_MS) return;
    logger.warn({ seconds: Math.round((clockOffsetMs() - offsetMs) / 1_000) }, 'clock was set');
    void task.destroy();
    [task, offsetMs] = [start(), clockOffsetMs()];
    sendAll();
  }, CLOCK_CHECK_MS);
  return {
    sendAll,
    [Symbol.dispose]() {
      clearInterval(checking);
      void task.destroy();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** A shop that the warehouse does not hold yet goes first. */
function createSender({ readKnownShops, queue }: DispatcherDeps) {
  const known = new Set<string>();
  return async (shopKeys: readonly string[], tick: Date | undefined) => {
    if (shopKeys.some((shopKey) => !known.has(shopKey))) {
      for (const shopKey of await readKnownShops()) known.add(shopKey);
    }
    const sweeps = shopKeys.map((shopKey) => {
      return { shopKey, urgency: known.has(shopKey) ? ('due' as const) : ('new' as const) };
    });
    await queue.add(sweeps, tick);
  };
}

/** Shops whose sweeps are sent at the same moment of a tick. */
type Batch = { readonly afterMs: number; readonly shopKeys: readonly string[] };

/** A shorter tick is not worth spreading over: a worker polls the queue once a second. */
const MIN_SPAN_MS = 10_000;
const MAX_SPAN_MS = 60_000;
/** Batches are at least this far apart. */
const STEP_MS = 1_000;

/**
 * Spreads shops evenly over a tick. The order of their keys decides, so that a shop has the same place at every tick and
 * in every worker, and an added shop moves the others by less than their distance.
 *
 * @param atOnce as many shops need no spreading, since one worker can sweep them at once
 */
export function spreadShops(shopKeys: readonly string[], spanMs: number, atOnce: number): readonly Batch[] {
  if (shopKeys.length <= atOnce || spanMs < MIN_SPAN_MS) return [{ afterMs: 0, shopKeys }];
  const places = shopKeys.toSorted().map((shopKey, index) => {
    const exactMs = (index * spanMs) / shopKeys.length;
    return { shopKey, afterMs: exactMs - (exactMs % STEP_MS) };
  });
  const batches = Map.groupBy(places, ({ afterMs }) => afterMs);
  return [...batches].map(([afterMs, batch]) => ({ afterMs, shopKeys: batch.map(({ shopKey }) => shopKey) }));
}
