import type { Witnesses } from '../../../shop-api/paging/reach.ts';
import { readNeighbours } from '../../../warehouse/orders/stored-orders.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { byTime, isBefore, maxTime } from '../../../model/window.ts';

/** The shop's live orders, read from the warehouse at each call. */
export function findStoredOrders(db: Db, shopId: number): Witnesses {
  const minuteOf = async (...[side, time, nth]: ['before' | 'after', Temporal.PlainDateTime, number]) => {
    const orders = await readNeighbours(db, shopId, side, time, nth);
    return orders.at(-1)?.createdLocal.round({ smallestUnit: 'minute', roundingMode: 'trunc' });
  };
  return {
    before: async (time, nth) => minuteOf('before', time, nth),
    after: async (time, nth) => minuteOf('after', time, nth),
  };
}

export const NO_STORED_ORDERS: Witnesses = {
  before: async () => undefined,
  after: async () => undefined,
};

/** So many of the oldest orders that were seen are enough to reach above the next window. */
const ENOUGH = 20;

/** Adds orders that this walk has seen, which may not be stored yet: what is asked does not depend on the database's pace. */
export function withSeenOrders(stored: Witnesses): Witnesses & {
  /** @param created minutes of orders that were read last */
  see(created: readonly Temporal.PlainDateTime[]): void;
} {
  let seen: readonly Temporal.PlainDateTime[] = [];
  return {
    see(created) {
      seen = [...seen, ...created].toSorted(byTime).slice(0, ENOUGH);
    },
    async before(time, nth) {
      const recent = seen.filter((at) => isBefore(at, time)).at(-nth);
      const inWarehouse = await stored.before(time, nth);
      return recent && inWarehouse ? maxTime(recent, inWarehouse) : (recent ?? inWarehouse);
    },
    async after(time, nth) {
      return seen.filter((at) => !isBefore(at, time))[nth - 1] ?? stored.after(time, nth);
    },
  };
}
