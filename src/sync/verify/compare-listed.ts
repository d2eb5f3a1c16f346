import { createdMinute } from '../../normalize/order.ts';
import type { OrderRow } from '../../normalize/order-fields.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { findDifferingOrders } from '../../warehouse/orders/compare-orders.ts';
import { readOrdersById } from '../../warehouse/orders/stored-orders.ts';
import type { Ports } from '../run/context.ts';
import { compareLines } from './compare-lines.ts';
import type { createSweepExpectation } from './expect-sweep.ts';

/** One order that differs between shop and warehouse. */
export type OrderDifference = {
  readonly orderId: string;
  /** Its day in the shop, or in the warehouse if the shop does not list it; undefined where it has no date. */
  readonly day: string | undefined;
  readonly kind: 'not in the warehouse' | 'not in the shop' | 'differs' | 'lines differ';
  /** Its day is due, or it is newer than its day's last verification: the next sweep sees to it anyway. */
  readonly isSweepDue: boolean;
};

export type ComparedOrders = {
  /** The shop's orders as they would be stored. */
  readonly rows: readonly OrderRow[];
  readonly differences: readonly OrderDifference[];
  /** Orders whose content could not be read. */
  readonly unread: number;
};

/**
 * Compares listed orders with the stored ones: by fingerprint, and column by column, in case the rows were edited.
 *
 * @param isAsked.lines whether to read and compare contents, too
 * @param isAsked.columns false if an older normalizer made the rows, which may then differ for good reason
 */
export async function compareListed(
  ports: Pick<Ports, 'api' | 'db' | 'lease' | 'privacy' | 'shop' | 'signal'>,
  listed: readonly ListRow[],
  isAsked: { readonly columns: boolean; readonly lines: boolean },
  isSweepDue: ReturnType<typeof createSweepExpectation>,
): Promise<ComparedOrders> {
  const { db, lease, privacy, shop } = ports;
  const ids = listed.map((row) => row.orderId);
  const held = await readOrdersById(db, lease.shopId, ids);
  const live = new Map(held.filter((order) => !order.isMarked).map((order) => [order.orderId, order]));
  const read = listed.map(({ raw }) => privacy.order(raw));
  const rows = read.flatMap(({ row }) => row ?? []);
  const given = read.flatMap(({ row, person }) => (row ? [{ row, person }] : []));
  const different = new Set(isAsked.columns ? await findDifferingOrders(db, lease.shopId, given) : []);
  const compared = listed.flatMap(({ orderId }, index) =>
    isAsked.lines && live.has(orderId) ? { orderId, isStripped: read[index]?.isStripped === true } : [],
  );
  const lines = await compareLines(ports, compared);
  const differences = listed.flatMap(({ orderId, raw }): OrderDifference[] => {
    const stored = live.get(orderId);
    const isSame = stored?.fingerprint === privacy.fingerprint(raw) && !different.has(orderId);
    if (isSame && !lines.different.has(orderId)) return [];
    const differs = isSame ? 'lines differ' : 'differs';
    const kind = stored === undefined ? 'not in the warehouse' : differs;
    const created = createdMinute(raw, shop);
    const day = created?.toPlainDate().toString();
    return [{ orderId, day, kind, isSweepDue: isSweepDue({ day, created }) }];
  });
  return { rows, differences, unread: lines.unread };
}
