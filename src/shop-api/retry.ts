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
 * @throws the last error of `attempt`
 */
export async function withRetry<Result>(
  attempt: () => Promise<Result>,
  policy: Required<RetryPolicy>,
  signal: AbortSignal | undefined,
  onRetry: () => void,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!worthAnotherTry(error, tries, policy)) throw error;
      onRetry();
      await sleep(pauseMs(error, tries, policy), undefined, { signal });
    }
  }
}

function worthAnotherTry(error: unknown, tries: number, policy: Required<RetryPolicy>): boolean {
  if (error instanceof ShapeError) return tries === 1;
  if (error instanceof TerminalError || !(error instanceof TransientError)) return false;
  return tries < policy.maxTries && (error.retryAfterMs ?? 0) <= policy.maxRetryAfterMs;
}

/** Equal jitter: half of the pause is certain, half is drawn, so that clients do not come back in step. */
function pauseMs(error: unknown, tries: number, policy: Required<RetryPolicy>): number {
  if (error instanceof TransientError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  const longest = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (tries - 1));
  return longest / 2 + (Math.random() * longest) / 2;
}
