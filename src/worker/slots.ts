import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '../sync/run/context.ts';
import { type LeaseHeartbeat, startHeartbeat, isDeadOwner, leaseOwnerName } from '../sync/run/shop-lease.ts';
import { databaseSentence } from '../warehouse/db/database-error.ts';
import type { Db } from '../warehouse/db/database.ts';
import { recordCrashes } from '../warehouse/ops/alerts.ts';
import { releaseDeadLeases } from '../warehouse/ops/lease.ts';
import {
  claimTurn,
  countTurns,
  findShopIds,
  hurrySweeps,
  MOST_BEGUN,
  planSweep,
  type Turn,
  type TurnOrder,
} from '../warehouse/ops/turns.ts';
import type { Schedule } from './schedule.ts';

const POLL_MS = 1_000;
const LOG_EVERY_MS = 60_000;
/** A shop whose sweeps end with their workers is left alone for this long. */
const GIVEN_UP_MS = 600_000;

const UNFINISHED =
  'sweeps were begun repeatedly and not finished, because their workers died or lost the database; look at the logs and ' +
  'memory of the workers';

/**
 * How a sweep ended; `unfinished`: it left time to others, and must go on; `interrupted`: the worker is stopping, and
 * another one must take over; `retryMs`: it failed, and is tried again after this.
 */
export type SweepEnd = 'ended' | 'unfinished' | 'interrupted' | { readonly retryMs: number };

/** @param heartbeat renews the shop's lease; undefined for a shop that is not registered yet */
export type Sweep = (shopKey: string, heartbeat: LeaseHeartbeat | undefined) => Promise<SweepEnd>;

export type SlotsDeps = {
  /** Not the pool of the sweeps, which may be busy. */
  readonly db: Db;
  /** Keys of the configured shops, now. */
  readonly shopKeys: () => readonly string[];
  readonly schedule: Schedule;
  readonly logger: Logger;
  /** Aborted to stop the worker. */
  readonly stopping: AbortSignal;
  /** How often a free slot looks for a turn. @default 1_000 */
  readonly pollMs?: number;
};

/** The slots of one worker: each takes the turn of a shop, sweeps it, and plans its next one. */
export class Slots {
  readonly #deps: SlotsDeps;
  /** Shops that the warehouse holds; they stay known. */
  readonly #registered = new Set<string>();
  /** When a shop that is not registered yet may be tried again, by the monotonic clock. */
  readonly #notBefore = new Map<string, number>();
  /** Shops that are to be swept again once the sweep in progress, if any, has ended. */
  readonly #hurried = new Set<string>();
  readonly #logFailure: (error: unknown) => void;

  constructor(deps: SlotsDeps) {
    this.#deps = deps;
    this.#logFailure = logThrottled(deps.logger);
  }

  /**
   * Sweeps shops, `slots` at a time, until the worker stops: new shops first, then what is due, then the rest of long
   * sweeps; of each the oldest first.
   */
  async run(slots: number, sweep: Sweep): Promise<void> {
    await this.#releaseDead().catch(this.#logFailure);
    await Promise.all(turnOrders(slots).map((order) => this.#runSlot(order, sweep)));
  }

  async #releaseDead(): Promise<void> {
    const { db, shopKeys } = this.#deps;
    const registered = await findShopIds(db, shopKeys());
    await releaseDeadLeases(db, [...registered.values()], isDeadOwner);
  }

  /** Makes shops due now, such as those whose settings have changed. */
  async hurry(shopKeys: readonly string[]): Promise<void> {
    for (const shopKey of shopKeys) {
      this.#notBefore.delete(shopKey);
      this.#hurried.add(shopKey);
    }
    await hurrySweeps(this.#deps.db, shopKeys).catch(this.#logFailure);
  }

  /** Whether a shop waits for a free slot. */
  async hasWaiting(): Promise<boolean> {
    if ((await this.#readNew()).length > 0) return true;
    return (await countTurns(this.#deps.db, this.#deps.shopKeys())).queued > 0;
  }

  async #runSlot(order: TurnOrder, sweep: Sweep): Promise<void> {
    const { pollMs = POLL_MS, stopping } = this.#deps;
    while (!stopping.aborted) {
      const isBusy = await this.#takeTurn(order, sweep).catch((error: unknown) => {
        this.#logFailure(error);
        return false;
      });
      if (!isBusy) await sleep(pollMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /** @returns whether there was one */
  async #takeTurn(order: TurnOrder, sweep: Sweep): Promise<boolean> {
    const { db, shopKeys } = this.#deps;
    const [added] = order === 'due-only' ? [] : await this.#readNew();
    if (added !== undefined) {
      await this.#sweepNew(added, sweep);
      return true;
    }
    const turn = await claimTurn(db, shopKeys(), order, leaseOwnerName());
    if (turn === undefined) return false;
    await this.#sweepRegistered(turn, sweep);
    return true;
  }

  async #sweepRegistered(turn: Turn, sweep: Sweep): Promise<void> {
    const { db, logger, stopping } = this.#deps;
    const { shopKey } = turn;
    await using heartbeat = startHeartbeat(db, turn.lease, stopping);
    if (turn.begun > MOST_BEGUN) {
      await recordCrashes(db, turn.lease.shopId, UNFINISHED);
      logger.warn({ shop: shopKey, reason: UNFINISHED }, 'sweep abandoned');
      await planSweep(db, shopKey, GIVEN_UP_MS, false);
      return;
    }
    this.#hurried.delete(shopKey);
    await this.#planNext(shopKey, await sweep(shopKey, heartbeat));
  }

  /** Another worker may sweep it too: then the lease, which it gets when it is registered, decides. */
  async #sweepNew(shopKey: string, sweep: Sweep): Promise<void> {
    this.#notBefore.set(shopKey, Number.POSITIVE_INFINITY);
    this.#hurried.delete(shopKey);
    let waitMs = POLL_MS;
    try {
      waitMs = await this.#planNext(shopKey, await sweep(shopKey, undefined));
    } finally {
      this.#notBefore.set(shopKey, performance.now() + waitMs);
    }
  }

  /** @returns how long the shop waits from now */
  async #planNext(shopKey: string, end: SweepEnd): Promise<number> {
    const { db } = this.#deps;
    const waitMs = this.#waitMs(shopKey, end);
    await planSweep(db, shopKey, waitMs, end === 'unfinished');
    // Asked last: the shop may have been hurried while this was planned.
    if (!this.#hurried.has(shopKey)) return waitMs;
    await hurrySweeps(db, [shopKey]);
    return 0;
  }

  #waitMs(shopKey: string, end: SweepEnd): number {
    if (end === 'unfinished' || end === 'interrupted') return 0;
    return end === 'ended' ? this.#deps.schedule(shopKey, this.#deps.shopKeys()) : end.retryMs;
  }

  /** Shops to try now that the warehouse does not hold yet. */
  async #readNew(): Promise<readonly string[]> {
    const unknown = this.#deps.shopKeys().filter((shopKey) => !this.#registered.has(shopKey));
    if (unknown.length === 0) return [];
    const found = await findShopIds(this.#deps.db, unknown);
    for (const shopKey of found.keys()) this.#registered.add(shopKey);
    const isDue = (shopKey: string) => (this.#notBefore.get(shopKey) ?? 0) <= performance.now();
    return unknown.filter((shopKey) => !found.has(shopKey) && isDue(shopKey));
  }
}

/**
 * What each slot of a worker takes: the shop that ranks highest. Two slots differ. The second takes only shops that are due,
 * since long sweeps may take all other slots. The third takes the shop that has waited longest, so that long sweeps
 * continue even if some shop is always due.
 */
function turnOrders(slots: number): readonly TurnOrder[] {
  const orders: readonly TurnOrder[] = ['due-first', 'due-only', 'oldest-first'];
  return Array.from({ length: slots }, (_, slot) => orders[slot] ?? 'due-first');
}

/** While the database is down every look fails: logs that once a minute, with the number of errors. */
function logThrottled(logger: Logger): (error: unknown) => void {
  let [loggedAtMs, errors] = [Number.NEGATIVE_INFINITY, 0];
  return (error) => {
    errors++;
    if (performance.now() - loggedAtMs < LOG_EVERY_MS) return;
    logger.warn({ reason: `the database: ${databaseSentence(error)}`, errors }, 'no sweep begun');
    [loggedAtMs, errors] = [performance.now(), 0];
  };
}
