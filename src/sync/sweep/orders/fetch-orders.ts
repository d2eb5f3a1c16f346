import pLimit from 'p-limit';

import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';

type Ahead = { readonly listed: Listed; readonly prepared: Promise<Prepared>; hasCome: boolean };

/** Fetches the lines of listed orders in parallel, each once. */
export class OrderFetcher {
  readonly #sweep: Sweep;
  readonly #requests;
  /** Orders that were fetched before it was known whether their list is whole, and not asked for since. */
  readonly #ahead = new Map<string, Ahead>();

  constructor(sweep: Sweep) {
    this.#sweep = sweep;
    this.#requests = pLimit(this.#mayBeAsked());
  }

  /** How many orders were fetched ahead and not asked for since. */
  get ahead(): number {
    return this.#ahead.size;
  }

  /**
   * Fetches an order that may be asked for when its list has turned out to be whole.
   *
   * @param onFailure called at once if the shop refuses more than this order
   */
  fetchAhead(listed: Listed, onFailure: (error: unknown) => void): void {
    const { row, fingerprint } = listed;
    if (this.#ahead.get(row.orderId)?.listed.fingerprint === fingerprint) return;
    const prepared = this.#prepare(listed, undefined);
    const own = { listed, prepared, hasCome: false };
    this.#ahead.set(row.orderId, own);
    prepared.then(({ failure }) => (own.hasCome = failure === undefined), onFailure);
  }

  /** Of the orders that were fetched ahead and not asked for since, those that have come. */
  fetchedAhead(): readonly Listed[] {
    return [...this.#ahead.values()].filter(({ hasCome }) => hasCome).map(({ listed }) => listed);
  }

  /**
   * Fetches an order, unless that was done ahead for the same row.
   *
   * @param onAsked called when its lines are being requested
   * @throws as `prepareOrder` does
   */
  async fetch(listed: Listed, held: HeldOrder | undefined, onAsked?: () => void): Promise<Prepared> {
    const { orderId } = listed.row;
    const ahead = this.#ahead.get(orderId);
    this.#ahead.delete(orderId);
    if (ahead?.listed.fingerprint === listed.fingerprint && held === undefined) {
      onAsked?.();
      return ahead.prepared;
    }
    return this.#prepare(listed, held, onAsked);
  }

  #prepare(listed: Listed, held: HeldOrder | undefined, onAsked?: () => void): Promise<Prepared> {
    return this.#requests(() => {
      this.#requests.concurrency = this.#mayBeAsked();
      onAsked?.();
      return prepareOrder(this.#sweep, listed, held);
    });
  }

  #mayBeAsked(): number {
    const { api, limits } = this.#sweep.ports;
    return limits.contents(api.health.concurrency);
  }
}
