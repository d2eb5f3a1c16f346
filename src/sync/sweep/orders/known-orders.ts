import type { KnownOrders } from '../../../shop-api/paging/asked-dates.ts';
import { readNeighbour, readOldestOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { byTime, isBefore, laterOf } from '../../../window.ts';

/** What the warehouse knows of the shop's orders in time. */
export type Recall = KnownOrders & {
  /** The minute of the oldest live order. */
  oldest(): Promise<Temporal.PlainDateTime | undefined>;
};

/** Live orders of a shop, as the warehouse holds them at the moment of the question. */
export function recallFrom(db: Db, shopId: number): Recall {
  return {
    before: (time, nth) => readNeighbour(db, shopId, 'before', time, nth),
    after: (time, nth) => readNeighbour(db, shopId, 'after', time, nth),
    oldest: () => readOldestOrder(db, shopId),
  };
}

/** A shop of which nothing is held. */
export const NOTHING_HELD: Recall = {
  before: async () => undefined,
  after: async () => undefined,
  oldest: async () => undefined,
};

/** Orders that answers showed lately are known as well, though they may not be written yet. */
export function withSeen(recall: KnownOrders): {
  readonly known: KnownOrders;
  /** Of the window that was read last. */
  noteRead(created: readonly Temporal.PlainDateTime[]): void;
  /** Of an answer that was too long. */
  noteSample(created: readonly Temporal.PlainDateTime[]): void;
} {
  let [read, sample]: (readonly Temporal.PlainDateTime[])[] = [[], []];
  const seen = () => [...(sample ?? []), ...(read ?? [])].toSorted(byTime);
  return {
    known: {
      async before(time, nth) {
        const own = seen()
          .filter((minute) => isBefore(minute, time))
          .at(-nth);
        const held = await recall.before(time, nth);
        return own && held ? laterOf(own, held) : (own ?? held);
      },
      async after(time, nth) {
        return seen().filter((minute) => !isBefore(minute, time))[nth - 1] ?? recall.after(time, nth);
      },
    },
    noteRead(created) {
      if (created.length > 0) read = created;
    },
    noteSample(created) {
      sample = created;
    },
  };
}
