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
  /** Of the orders that were fetched ahead, those that have come. */
  come(): readonly Listed[];
  /**
   * Fetches an order, unless that was done ahead for the same row.
   *
   * @param onAsked called when its lines are being requested
   */
  fetch(listed: Listed, held: HeldOrder | undefined, onAsked?: () => void): Promise<Prepared>;
};

type Ahead = { readonly listed: Listed; readonly prepared: Promise<Prepared>; hasCome: boolean };

export function createOrderFetcher(sweep: Sweep): OrderFetcher {
  const fetches = pLimit(MAX_FETCHES);
  const ahead = new Map<string, Ahead>();
  return {
    get ahead() {
      return ahead.size;
    },
    fetchAhead(listed) {
      const { row, fingerprint } = listed;
      if (ahead.get(row.orderId)?.listed.fingerprint === fingerprint) return;
      const prepared = fetches(() => prepareOrder(sweep, listed, undefined));
      const own: Ahead = { listed, prepared, hasCome: false };
      ahead.set(row.orderId, own);
      // Whoever asks for the order sees the error.
      prepared.then(
        ({ failure }) => (own.hasCome = failure === undefined),
        () => undefined,
      );
    },
    come: () => [...ahead.values()].filter(({ hasCome }) => hasCome).map(({ listed }) => listed),
    async fetch(listed, held, onAsked) {
      const { orderId } = listed.row;
      const own = ahead.get(orderId);
      ahead.delete(orderId);
      if (own?.listed.fingerprint === listed.fingerprint && held === undefined) {
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
