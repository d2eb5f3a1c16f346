import { isPast } from '../../plan/clock/clock-bounds.ts';
import { pruneRaw, pruneRecords } from '../../warehouse/ops/prune-records.ts';
import type { Sweep } from '../run/context.ts';

const EVERY_MS = 3_600_000;
/** Rows of a table that one sweep removes at most: more a day than its runs can add. */
const MAX_ROWS = 500;
/** Payloads of a table in one statement, and statements of a sweep: a first load of years is removed within days. */
const MAX_PAYLOADS = 500;
const MAX_STEPS = 20;

/** Once an hour, removes some of the runs, settled rejections and payloads that are older than they are to be kept. */
export async function pruneOld({ ports, state }: Sweep): Promise<void> {
  const { db, lease, now, runsKeptMs, rawKeptMs } = ports;
  if (runsKeptMs === undefined && rawKeptMs === undefined) return;
  const present = now();
  const { prunedAt } = state;
  const isRecent = prunedAt !== undefined && isPast(prunedAt, present);
  if (isRecent && present.since(prunedAt).total('milliseconds') < EVERY_MS) return;
  const before = (keptMs: number) => present.subtract({ milliseconds: keptMs });
  if (runsKeptMs !== undefined) await pruneRecords(db, lease, before(runsKeptMs), MAX_ROWS);
  if (rawKeptMs !== undefined) await prunePayloads(ports, before(rawKeptMs));
  state.prunedAt = present;
}

async function prunePayloads({ db, lease, signal }: Sweep['ports'], before: Temporal.Instant): Promise<void> {
  for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
    const removed = await pruneRaw(db, lease, before, MAX_PAYLOADS);
    if (Object.values(removed).every((rows) => rows < MAX_PAYLOADS)) return;
  }
}
