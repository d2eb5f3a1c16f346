import type { Logger } from '../sync/run/context.ts';
import { databaseSentence } from '../warehouse/db/database-error.ts';
import type { SweepQueue } from './queue.ts';
import { startSchedule, type Tick } from './schedule.ts';
import { spreadShops } from './spread-shops.ts';

export type DispatcherDeps = {
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

export type Dispatcher = Disposable & {
  /** Sends a sweep of every shop now. */
  sendAll(): void;
};

/** Sends a sweep of every shop now, and then at every tick, spread over it. */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { slots, logger } = deps;
  const send = createSender(deps);
  const timers = new Set<NodeJS.Timeout>();
  const sendLogged = async (shopKeys: readonly string[], tick?: Tick) => {
    try {
      await send(shopKeys, tick);
    } catch (error) {
      logger.warn({ reason: databaseSentence(error) }, 'sweeps not sent');
    }
  };
  const readKeys = () => deps.shops().map(({ shopKey }) => shopKey);
  const onTick = async (tick: Tick) => {
    for (const { afterMs, shopKeys } of spreadShops(readKeys(), tick.spanMs, slots)) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        void sendLogged(shopKeys, tick);
      }, afterMs);
      timers.add(timer);
    }
  };
  const schedule = startSchedule(deps.cron, onTick, logger);
  const sendAll = () => void sendLogged(readKeys());
  sendAll();
  return {
    sendAll,
    [Symbol.dispose]() {
      schedule[Symbol.dispose]();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** A shop that the warehouse does not hold yet goes first. */
function createSender({ readKnownShops, queue }: DispatcherDeps) {
  const known = new Set<string>();
  return async (shopKeys: readonly string[], tick: Tick | undefined) => {
    if (shopKeys.some((shopKey) => !known.has(shopKey))) {
      for (const shopKey of await readKnownShops()) known.add(shopKey);
    }
    const sweeps = shopKeys.map((shopKey) => {
      return { shopKey, urgency: known.has(shopKey) ? ('due' as const) : ('new' as const) };
    });
    await queue.add(sweeps, tick?.at);
  };
}
