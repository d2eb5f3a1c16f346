import { ShapeError, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { AvailabilityGate } from './availability-gate.ts';

export type RetryPolicy = {
  /** Attempts in all, the first included. @default 5 */
  readonly maxAttempts?: number;
  /** Longest pause before the second attempt; it doubles for each further one. @default 500 */
  readonly firstPauseMs?: number;
  /** No pause is longer than this. @default 15_000 */
  readonly maxPauseMs?: number;
  /** A server that requests a longer pause than this is given up on. @default 60_000 */
  readonly maxRetryAfterMs?: number;
  /** For all attempts at a request and the pauses between them; a wait for the shop as a whole is not counted. @default 120_000 */
  readonly maxTotalMs?: number;
};

export const DEFAULT_RETRY: Required<RetryPolicy> = {
  maxAttempts: 5,
  firstPauseMs: 500,
  maxPauseMs: 15_000,
  maxRetryAfterMs: 60_000,
  maxTotalMs: 120_000,
};

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;

/** What a request has cost so far. */
type Effort = {
  readonly attempts: number;
  readonly mismatches: number;
  /** Attempts and pauses, in milliseconds. */
  readonly ownMs: number;
  /** Outages that were forgiven. */
  readonly forgiven: number;
};

const NO_EFFORT: Effort = { attempts: 0, mismatches: 0, ownMs: 0, forgiven: 0 };

/** How an attempt ended. `outages` is the gate's count when it began. */
export type AttemptOutcome<Result> =
  | { readonly value: Result }
  | { readonly error: unknown; readonly tookMs: number; readonly outages: number };

/** What the loop needs of the shop's client. */
export type RetryPorts = {
  readonly clock: Clock;
  readonly gate: Pick<AvailabilityGate, 'circuit' | 'isShut' | 'outages' | 'pass'>;
  /** Takes a retry from the shop's budget; milliseconds to wait for it. */
  readonly spend: () => number;
  /** Called before each attempt but the first. */
  readonly onRetry: () => void;
};

/**
 * Runs `attempt` until it succeeds, fails for good, or the attempts are used up. Attempts that failed because the shop as
 * a whole was down are not counted. After a response of an unexpected shape one more attempt is made, since a proxy's
 * passing error page looks the same.
 *
 * @throws the last error of `attempt`, UnavailableError, or the signal's reason
 */
export async function withRetry<Result>(
  attempt: () => Promise<AttemptOutcome<Result>>,
  policy: Required<RetryPolicy>,
  { clock, gate, spend, onRetry }: RetryPorts,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let effort = NO_EFFORT;
  for (;;) {
    const outcome = await attempt();
    if ('value' in outcome) return outcome.value;
    signal?.throwIfAborted();
    const { error } = outcome;
    const failedAtMs = clock.nowMs();
    effort = afterAttempt(effort, error, outcome.tookMs);
    if (isPermanent(error, effort)) throw error;
    const pauseMs = pauseBefore(effort, policy, Math.random());
    if (gate.circuit === 'closed' && isUsedUp(effort, pauseMs, policy)) throw error;
    await gate.pass(signal);
    const wasDown = () => gate.outages > outcome.outages;
    if (!wasDown()) {
      if (isUsedUp(effort, pauseMs, policy)) throw error;
      const leftMs = Math.max(0, pauseMs - (clock.nowMs() - failedAtMs));
      await clock.sleep(Math.max(leftMs, spend()), signal);
      effort = { ...effort, ownMs: effort.ownMs + leftMs };
      await gate.pass(signal);
    }
    if (wasDown()) effort = forgive(effort);
    if (isUsedUp(effort, 0, policy)) throw error;
    onRetry();
  }
}

function afterAttempt(effort: Effort, error: unknown, tookMs: number): Effort {
  const { attempts, mismatches, ownMs } = effort;
  const isMismatch = error instanceof ShapeError;
  return {
    ...effort,
    attempts: attempts + 1,
    mismatches: mismatches + (isMismatch ? 1 : 0),
    ownMs: ownMs + tookMs,
  };
}

function isPermanent(error: unknown, { mismatches }: Effort): boolean {
  if (error instanceof ShapeError) return mismatches > 1;
  return (
    error instanceof TerminalError || error instanceof UnavailableError || !(error instanceof TransientError)
  );
}

function isUsedUp({ attempts, ownMs }: Effort, pauseMs: number, policy: Required<RetryPolicy>): boolean {
  return attempts >= policy.maxAttempts || ownMs + pauseMs > policy.maxTotalMs;
}

function forgive(effort: Effort): Effort {
  if (effort.forgiven >= MAX_FORGIVEN) return effort;
  return { ...effort, attempts: 0, ownMs: 0, forgiven: effort.forgiven + 1 };
}

/**
 * Equal jitter: half of the pause is fixed, half is random, so that clients do not retry in step. A server that
 * asks for less, or whose clock is behind, does not use up the attempts at once.
 *
 * @param jitter from 0 up to 1
 */
function pauseBefore({ attempts }: Effort, policy: Required<RetryPolicy>, jitter: number): number {
  const longest = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (attempts - 1));
  return longest / 2 + (jitter * longest) / 2;
}
