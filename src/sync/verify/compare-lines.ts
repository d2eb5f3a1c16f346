import { findDifferingLines } from '../../warehouse/orders/compare-orders.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Ports } from '../run/context.ts';
import { readLines } from '../sweep/orders/prepare-order.ts';

export type ComparedLines = {
  readonly different: ReadonlySet<string>;
  /** Orders whose content could not be read. */
  readonly unread: number;
};

/** Reads the contents of stored orders, and compares them with the stored lines. */
export async function compareLines(
  { api, db, lease, privacy, signal }: Pick<Ports, 'api' | 'db' | 'lease' | 'privacy' | 'signal'>,
  orders: readonly { readonly orderId: string; readonly isStripped: boolean }[],
): Promise<ComparedLines> {
  const read = await Promise.all(
    orders.map(async ({ orderId, isStripped }) => {
      const content = await attempt(api.orderContent(orderId, signal), signal);
      if (content?.kind !== 'found') return [];
      return { orderId, rows: readLines(privacy, orderId, content, isStripped).rows };
    }),
  );
  const lines = read.flat();
  const different = await findDifferingLines(db, lease.shopId, lines);
  return { different: new Set(different), unread: orders.length - lines.length };
}
