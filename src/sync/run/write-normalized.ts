import type { Rejection } from '../../normalize/rejection.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { type NormalizedRecords, recordRejections } from '../../warehouse/ops/rejections.ts';
import type { RunPorts, RunState } from './context.ts';

type Written = {
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
