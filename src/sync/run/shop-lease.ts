/** The life of a shop's lease: it is taken, renewed while a run goes on, and released. */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import { ShopBusyError } from '../../model/errors.ts';
import { utcText } from '../../model/amount-text.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { type Lease, releaseLease, renewLease, takeLease } from '../../warehouse/ops/lease.ts';

/** A lease lasts for half a minute. */
const BEAT_MS = 5_000;
/** Time for work to end after an abort; then it is assumed to hang, and its lease expires. */
const STOP_WITHIN_MS = 20_000;

type LeaseContext = {
  readonly db: Db;
  readonly shop: { readonly shopKey: string };
  readonly signal: AbortSignal;
  readonly heartbeat?: LeaseHeartbeat | undefined;
};

/**
 * The shop's lease: the one that the caller of a run holds, and keeps, or else one that is taken.
 *
 * @throws ShopBusyError that names the owner when another process holds it
 */
export async function openLease(
  { db, shop, signal, heartbeat }: LeaseContext,
  shopId: number,
): Promise<LeaseHeartbeat> {
  if (heartbeat !== undefined) return { ...heartbeat, [Symbol.asyncDispose]: async () => undefined };
  const answer = await takeLease(db, shopId, leaseOwnerName(), isDeadOwner);
  if (answer.kind === 'taken') return startHeartbeat(db, answer.lease, signal);
  // People need no more than host and process id.
  const owner = answer.holder.replace(/@\d+$/, '');
  throw new ShopBusyError(
    `shop ${shop.shopKey} is being synced by ${owner}; wait for it to end. If it died, the shop is free again at ` +
      utcText(answer.expiresAt),
  );
}

/** A lease that is renewed until disposed, and then released. */
export type LeaseHeartbeat = AsyncDisposable & {
  readonly lease: Lease;
  /** Aborted when the lease was lost; its reason is the LeaseLostError. */
  readonly signal: AbortSignal;
  /** Sets the work of every beat from now on: to save what was done so far. */
  onBeat(work: () => Promise<void>): void;
};

/** @param stopping aborted when the work must stop */
export function startHeartbeat(db: Db, lease: Lease, stopping: AbortSignal): LeaseHeartbeat {
  const lost = new AbortController();
  let work = async () => {};
  let beating = Promise.resolve();
  let beatsSinceStop = 0;
  const beat = async () => {
    if (stopping.aborted && ++beatsSinceStop * BEAT_MS > STOP_WITHIN_MS) return;
    try {
      await renewLease(db, lease);
      await work();
    } catch (error) {
      // The sweep itself handles a database that is briefly unavailable; only a lost lease ends it from here.
      if (error instanceof Error && error.name === 'LeaseLostError') lost.abort(error);
    }
  };
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, BEAT_MS);
  return {
    lease,
    signal: lost.signal,
    onBeat: (newWork) => void (work = newWork),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await beating;
      await releaseLease(db, lease).catch(() => undefined);
    },
  };
}

/** `host:pid`, and where the system has them, `@` and the process id's namespace. */
const OWNER = /^(?<host>.*):(?<pid>[1-9]\d{0,14})(?:@(?<namespace>\d+))?$/;

export function leaseOwnerName(): string {
  const namespace = pidNamespace();
  return `${hostname()}:${process.pid}${namespace === undefined ? '' : `@${namespace}`}`;
}

/**
 * Whether a lease owner is certainly dead: a process of this machine that has ended. A wrong answer costs the
 * other process its run, never data: its epoch is outdated from then on.
 */
export function isDeadOwner(owner: string): boolean {
  const { host, pid, namespace } = OWNER.exec(owner)?.groups ?? {};
  // Containers may share a host name but number their processes separately.
  if (host !== hostname() || namespace !== pidNamespace()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** On Linux `pid:[4026531836]`; undefined elsewhere. */
function pidNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
