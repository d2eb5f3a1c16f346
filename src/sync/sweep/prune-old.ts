import { isPast } from '../../plan/clock-bounds.ts';
import { pruneRecords } from '../../warehouse/ops/prune-records.ts';
import type { Needs } from '../run/context.ts';

const EVERY_MS = 3_600_000;
/** Rows of a table that one sweep removes at most: more a day than its runs can add. */
const MAX_ROWS = 500;

/** Once an hour, removes a few of the runs and settled rejections that are older than they are to be kept. */
export async function pruneOld({
  ports: { db, lease, now, runsKeptMs },
  state,
}: Needs<'db' | 'lease' | 'now' | 'runsKeptMs', 'prunedAt'>): Promise<void> {
  if (runsKeptMs === undefined) return;
  const present = now();
  const { prunedAt } = state;
  const isRecent = prunedAt !== undefined && isPast(prunedAt, present);
  if (isRecent && present.since(prunedAt).total('milliseconds') < EVERY_MS) return;
  await pruneRecords(db, lease, present.subtract({ milliseconds: runsKeptMs }), MAX_ROWS);
  state.prunedAt = present;
}
