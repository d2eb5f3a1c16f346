import { setTimeout as sleep } from 'node:timers/promises';

import { TerminalError } from '../../errors.ts';
import { utcText } from '../../utc-text.ts';
import { type Lease, type LeaseAnswer, takeLease } from '../../warehouse/ops/lease.ts';
import type { RunContext } from './context.ts';
import { LEASE_TTL_MS } from './heartbeat.ts';
import { isDeadOwner, leaseOwnerName } from './lease-owner.ts';

const POLL_MS = 1_000;

type LeaseContext = Pick<RunContext, 'db' | 'signal' | 'leaseWaitMs'> & {
  readonly shop: Pick<RunContext['shop'], 'shopKey'>;
};

/**
 * Takes the shop's lease. If the context allows to wait, it does so for an owner that may be dead: until its lease ends, or
 * is renewed.
 *
 * @throws TerminalError that names the owner when another process still holds the lease; the signal's reason
 */
export async function acquireLease(
  { db, shop, signal, leaseWaitMs = 0 }: LeaseContext,
  shopId: number,
): Promise<Lease> {
  const end = performance.now() + leaseWaitMs;
  let seen: Extract<LeaseAnswer, { kind: 'held' }> | undefined;
  for (;;) {
    const answer = await takeLease(db, shopId, leaseOwnerName(), LEASE_TTL_MS, isDeadOwner);
    if (answer.kind === 'taken') return answer.lease;
    const isAlive = seen !== undefined && isLater(answer.expiresAt, seen.expiresAt);
    seen ??= answer;
    if (isAlive || performance.now() >= end) {
      // People need no more than host and process id.
      const owner = answer.holder.replace(/@\d+$/, '');
      throw new TerminalError(
        `shop ${shop.shopKey} is being synced by ${owner}; wait for it to end. If it died, the shop is free again at ` +
          utcText(answer.expiresAt),
      );
    }
    await sleep(POLL_MS);
    signal.throwIfAborted();
  }
}

const isLater = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other) > 0;
