import pLimit from 'p-limit';

import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';

/** Contents requested at once: a list request queues behind them. */
const MAX_FETCHES = 64;

/** Fetches the lines of orders, some of them before it is known whether their list is whole. */
export type OrderFetcher = {
  /** Orders that were fetched ahead, and not asked for since. */
  readonly ahead: number;
  /** Fetches an order that is not stored. */
  fetchAhead(listed: Listed): void;
  /**
   * Fetches an order, unless that was done ahead for the same row.
   *
   * @param onAsked called when its lines are being requested
   */
  fetch(listed: Listed, held: HeldOrder | undefined, onAsked?: () => void): Promise<Prepared>;
};

type Ahead = { readonly fingerprint: string; readonly prepared: Promise<Prepared> };

export function createOrderFetcher(sweep: Sweep): OrderFetcher {
  const fetches = pLimit(MAX_FETCHES);
  const ahead = new Map<string, Ahead>();
  return {
    get ahead() {
      return ahead.size;
    },
    fetchAhead(listed) {
      const { row, fingerprint } = listed;
      if (ahead.get(row.orderId)?.fingerprint === fingerprint) return;
      const prepared = fetches(() => prepareOrder(sweep, listed, undefined));
      // Whoever asks for the order sees the error.
      prepared.catch(() => undefined);
      ahead.set(row.orderId, { fingerprint, prepared });
    },
    async fetch(listed, held, onAsked) {
      const { orderId } = listed.row;
      const own = ahead.get(orderId);
      ahead.delete(orderId);
      if (own?.fingerprint === listed.fingerprint && held === undefined) {
        onAsked?.();
        return own.prepared;
      }
      return fetches(() => {
        onAsked?.();
        return prepareOrder(sweep, listed, held);
      });
    },
  };
}
