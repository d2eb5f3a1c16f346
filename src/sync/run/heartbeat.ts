import type { Db } from '../../warehouse/db/database.ts';
import { type Lease, releaseLease, renewLease } from '../../warehouse/ops/lease.ts';

/** A lease that is not renewed for this long may be taken by another process. */
export const LEASE_TTL_MS = 30_000;
const BEAT_MS = 5_000;

/** Renews a lease until disposed, then releases it. */
export type Heartbeat = AsyncDisposable & {
  /** Aborted when the lease was lost; its reason is the LeaseLostError. */
  readonly signal: AbortSignal;
};

/** Time for work to end after it was told to stop; then it is assumed to hang, and its lease expires. */
const STOP_WITHIN_MS = 20_000;

/**
 * @param stopping aborted when the work is told to stop
 * @param onBeat called at every beat, for example to save the figures so far
 */
export function startHeartbeat(
  db: Db,
  lease: Lease,
  stopping: AbortSignal,
  onBeat: () => Promise<void>,
): Heartbeat {
  const lost = new AbortController();
  let beating = Promise.resolve();
  let beatsSinceStop = 0;
  const beat = async () => {
    if (stopping.aborted && ++beatsSinceStop * BEAT_MS > STOP_WITHIN_MS) return;
    try {
      await renewLease(db, lease, LEASE_TTL_MS);
      await onBeat();
    } catch (error) {
      // The sweep itself handles a database that is briefly unavailable; only a lost lease ends it from here.
      if (error instanceof Error && error.name === 'LeaseLostError') lost.abort(error);
    }
  };
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, BEAT_MS);
  return {
    signal: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await beating;
      await releaseLease(db, lease).catch(() => undefined);
    },
  };
}
