import type { Rejection } from '../../normalize/rejection.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { type NormalizedRecords, recordRejections } from '../../warehouse/ops/rejections.ts';
import type { RunPorts, RunState } from './context.ts';

/** Writes what was normalized, and what could not be, in one transaction, and counts the rejections. */
export async function writeNormalized<Written>(
  { ports: { db, lease }, state }: { readonly ports: RunPorts; readonly state: Pick<RunState, 'counters'> },
  normalized: readonly NormalizedRecords[],
  rejections: readonly Rejection[],
  write: (tx: Tx, shopId: number) => Promise<Written>,
): Promise<Written> {
  const { written, fresh } = await fenced(db, lease, async (tx) => {
    const written = await write(tx, lease.shopId);
    return { written, fresh: await recordRejections(tx, lease.shopId, normalized, rejections) };
  });
  state.counters.newRejections += fresh;
  state.counters.rejections += rejections.length;
  return written;
}
