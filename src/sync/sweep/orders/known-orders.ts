import { MAX_WINDOWS } from '../../../plan/load/allowance.ts';
import type { KnownOrders } from '../../../shop-api/paging/asked-dates.ts';
import { readNeighbour, readOldestOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { byTime, isBefore, maxTime } from '../../../model/window.ts';

export type StoredOrders = KnownOrders & {
  /** The minute of the oldest live order. */
  oldest(): Promise<Temporal.PlainDateTime | undefined>;
};

/** The shop's live orders, read from the warehouse at each call. */
export function findStoredOrders(db: Db, shopId: number): StoredOrders {
  return {
    before: (time, nth) => readNeighbour(db, shopId, 'before', time, nth),
    after: (time, nth) => readNeighbour(db, shopId, 'after', time, nth),
    oldest: () => readOldestOrder(db, shopId),
  };
}

export const NO_STORED_ORDERS: StoredOrders = {
  before: async () => undefined,
  after: async () => undefined,
  oldest: async () => undefined,
};

/** Adds orders of recent responses, which may not be written yet: what is asked does not depend on the database's pace. */
export function withSeenOrders(stored: KnownOrders): {
  readonly known: KnownOrders;
  /** The orders of the last window. */
  setLastWindow(created: readonly Temporal.PlainDateTime[]): void;
  /** The orders of a response that was too long. */
  setSample(created: readonly Temporal.PlainDateTime[]): void;
} {
  let windows: readonly (readonly Temporal.PlainDateTime[])[] = [];
  let seen: readonly Temporal.PlainDateTime[] = [];
  let sample: readonly Temporal.PlainDateTime[] = [];
  const sort = () => {
    seen = [...sample, ...windows.flat()].toSorted(byTime);
  };
  return {
    known: {
      async before(time, nth) {
        const recent = seen[seen.filter((at) => isBefore(at, time)).length - nth];
        const inWarehouse = await stored.before(time, nth);
        return recent && inWarehouse ? maxTime(recent, inWarehouse) : (recent ?? inWarehouse);
      },
      async after(time, nth) {
        return seen.filter((at) => !isBefore(at, time))[nth - 1] ?? stored.after(time, nth);
      },
    },
    setLastWindow(created) {
      if (created.length > 0) windows = [...windows, created].slice(-MAX_WINDOWS);
      sort();
    },
    setSample(created) {
      sample = created;
      sort();
    },
  };
}
