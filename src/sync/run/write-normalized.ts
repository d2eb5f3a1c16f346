import type { Rejection } from '../../normalize/rejection.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { type NormalizedRecords, recordRejections } from '../../warehouse/ops/rejections.ts';
import { loadOrders, type LoadOptions, type OrderToLoad } from '../../warehouse/orders/load-orders.ts';
import type { RunPorts, RunState } from './context.ts';

export type Written = {
  /** Records that were normalized, whether or not anything of them was rejected. @default none */
  readonly normalized?: readonly NormalizedRecords[];
  readonly rejections: readonly Rejection[];
};

/** Writes what was normalized, and what could not be, in one transaction, and counts the rejections. */
export async function writeNormalized<Result extends Written>(
  { ports: { db, lease }, state }: { readonly ports: RunPorts; readonly state: Pick<RunState, 'counters'> },
  write: (tx: Tx, shopId: number) => Promise<Result>,
): Promise<Result> {
  const { written, fresh } = await fenced(db, lease, async (tx) => {
    const written = await write(tx, lease.shopId);
    const { normalized = [], rejections } = written;
    return { written, fresh: await recordRejections(tx, lease.shopId, normalized, rejections) };
  });
  state.counters.newRejections += fresh;
  state.counters.rejections += written.rejections.length;
  return written;
}

/** An order ready to be written, and what could not be normalized. */
export type NormalizedOrder = {
  /** Undefined where its number cannot be read, which a list row has. */
  readonly order: OrderToLoad | undefined;
  readonly rejections: readonly Rejection[];
  /** The open ones of its fields stay as they are. */
  readonly keepsRejections?: boolean;
};

/** Loads orders as {@link writeNormalized} writes them. */
export async function loadNormalized(
  tx: Tx,
  shopId: number,
  read: readonly NormalizedOrder[],
  options: LoadOptions,
) {
  const orders = read.flatMap(({ order }) => order ?? []);
  const loaded = await loadOrders(tx, shopId, orders, options);
  const keysOf = (some: typeof read) => some.flatMap(({ order }) => order?.row.order_id ?? []);
  const renewed = read.filter(({ keepsRejections }) => keepsRejections !== true);
  const fetched = read.filter(({ order }) => order?.lines?.kind === 'fetched');
  const normalized: readonly NormalizedRecords[] = [
    { resource: 'order', sourceKeys: keysOf(renewed) },
    { resource: 'content', sourceKeys: keysOf(fetched) },
  ];
  return { orders, loaded, normalized, rejections: read.flatMap(({ rejections }) => rejections) };
}
