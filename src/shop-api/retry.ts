import { setTimeout as sleep } from 'node:timers/promises';

import { TerminalError, TransientError } from '../errors.ts';
import { ShapeError } from './shape-error.ts';

export type RetryPolicy = {
  /** Tries in all, the first included. @default 5 */
  readonly maxTries?: number;
  /** Longest pause before the second try; it doubles for each further one. @default 500 */
  readonly firstPauseMs?: number;
  /** No pause is longer than this. @default 15_000 */
  readonly maxPauseMs?: number;
  /** A server that asks for a longer pause than this is given up on. @default 60_000 */
  readonly maxRetryAfterMs?: number;
};

export const DEFAULT_RETRY: Required<RetryPolicy> = {
  maxTries: 5,
  firstPauseMs: 500,
  maxPauseMs: 15_000,
  maxRetryAfterMs: 60_000,
};

/**
 * Runs `attempt` until it succeeds, its error cannot be healed by another try, or the tries are used up. An answer of
 * an unexpected shape is asked for once more, since a proxy's passing answer looks the same.
 *
 * @param onRetry called before each try but the first
 * @throws the last error of `attempt`, or the signal's reason
 */
export async function withRetry<Result>(
  attempt: () => Promise<Result>,
  policy: Required<RetryPolicy>,
  signal: AbortSignal | undefined,
  onRetry: () => void,
): Promise<Result> {
  let mismatches = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ShapeError) mismatches++;
      if (tries >= policy.maxTries || !mayHeal(error, mismatches, policy)) throw error;
      await pause(pauseMs(error, tries, policy), signal);
      onRetry();
    }
  }
}

function mayHeal(error: unknown, mismatches: number, policy: Required<RetryPolicy>): boolean {
  if (error instanceof ShapeError) return mismatches === 1;
  if (error instanceof TerminalError || !(error instanceof TransientError)) return false;
  return (error.retryAfterMs ?? 0) <= policy.maxRetryAfterMs;
}

/**
 * Equal jitter: half of the pause is certain, half is drawn, so that clients do not come back in step. A server that
 * asks for less, or whose clock is behind, does not use the tries up at once.
 */
function pauseMs(error: unknown, tries: number, policy: Required<RetryPolicy>): number {
  const longest = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (tries - 1));
  const drawn = longest / 2 + (Math.random() * longest) / 2;
  return Math.max(drawn, error instanceof TransientError ? (error.retryAfterMs ?? 0) : 0);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    // The timer's own error would hide why the signal was aborted.
    signal?.throwIfAborted();
    throw error;
  }
}
