import { isInWindow } from '../../../window.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';

/** Orders that were listed with those of another window, older or newer than their own, until that is read. */
export type Strays = {
  /** Rows of this window that other lists showed, and that its own does not. Notes those that it shows of others. */
  lackingIn(reading: WholeWindow): readonly ListRow[];
};

export function createStrays(readCreated: (row: ListRow) => Temporal.PlainDateTime | undefined): Strays {
  const seen = new Map<string, ListRow>();
  return {
    lackingIn({ window, rows, others }) {
      for (const { orderId } of rows) seen.delete(orderId);
      const lacking = [...seen.values()].filter((row) => {
        const created = readCreated(row);
        return created !== undefined && isInWindow(window, created);
      });
      for (const { orderId } of lacking) seen.delete(orderId);
      for (const row of others) seen.set(row.orderId, row);
      return lacking;
    },
  };
}
