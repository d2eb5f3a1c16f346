import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { Gate } from './availability-gate.ts';
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
  /** For all tries of a request and the pauses between them; what it waits for together with all others is not counted. @default 120_000 */
  readonly maxTotalMs?: number;
};

export const DEFAULT_RETRY: Required<RetryPolicy> = {
  maxTries: 5,
  firstPauseMs: 500,
  maxPauseMs: 15_000,
  maxRetryAfterMs: 60_000,
  maxTotalMs: 120_000,
};

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;

/** What a request has cost so far. */
type Effort = {
  readonly tries: number;
  readonly mismatches: number;
  /** Tries and pauses, in milliseconds. */
  readonly ownMs: number;
  /** Outages that were forgiven. */
  readonly forgiven: number;
};

const NO_EFFORT: Effort = { tries: 0, mismatches: 0, ownMs: 0, forgiven: 0 };

/** How a try ended. `outages` is the gate's count as the try began. */
export type Try<Result> =
  | { readonly value: Result }
  | { readonly error: unknown; readonly tookMs: number; readonly outages: number };

/** What the loop needs of the shop's client. */
export type RetryPorts = {
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'circuit' | 'isShut' | 'outages' | 'pass'>;
  /** Takes a retry from the shop's budget; milliseconds to wait for it. */
  readonly spend: () => number;
  /** Called before each try but the first. */
  readonly onRetry: () => void;
};

/**
 * Runs `attempt` until it succeeds, its error cannot be healed by another try, or the tries are used up. Tries that
 * failed because the shop as a whole was away are not counted. An answer of an unexpected shape is asked for once more,
 * since a proxy's passing answer looks the same.
 *
 * @throws the last error of `attempt`, UnavailableError, or the signal's reason
 */
export async function withRetry<Result>(
  attempt: () => Promise<Try<Result>>,
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
    effort = afterTry(effort, error, outcome.tookMs);
    if (cannotHeal(error, effort)) throw error;
    const pauseMs = pauseBefore(effort, policy, Math.random());
    if (gate.circuit === 'closed' && isUsedUp(effort, pauseMs, policy)) throw error;
    await gate.pass(signal);
    const wasAway = () => gate.outages > outcome.outages;
    if (!wasAway()) {
      if (isUsedUp(effort, pauseMs, policy)) throw error;
      const leftMs = Math.max(0, pauseMs - (clock.nowMs() - failedAtMs));
      await clock.sleep(Math.max(leftMs, spend()), signal);
      effort = { ...effort, ownMs: effort.ownMs + leftMs };
      await gate.pass(signal);
    }
    if (wasAway()) effort = forgiven(effort);
    if (isUsedUp(effort, 0, policy)) throw error;
    onRetry();
  }
}

function afterTry(effort: Effort, error: unknown, tookMs: number): Effort {
  const { tries, mismatches, ownMs } = effort;
  const isMismatch = error instanceof ShapeError;
  return {
    ...effort,
    tries: tries + 1,
    mismatches: mismatches + (isMismatch ? 1 : 0),
    ownMs: ownMs + tookMs,
  };
}

function cannotHeal(error: unknown, { mismatches }: Effort): boolean {
  if (error instanceof ShapeError) return mismatches > 1;
  return (
    error instanceof TerminalError || error instanceof UnavailableError || !(error instanceof TransientError)
  );
}

function isUsedUp({ tries, ownMs }: Effort, pauseMs: number, policy: Required<RetryPolicy>): boolean {
  return tries >= policy.maxTries || ownMs + pauseMs > policy.maxTotalMs;
}

function forgiven(effort: Effort): Effort {
  if (effort.forgiven >= MAX_FORGIVEN) return effort;
  return { ...effort, tries: 0, ownMs: 0, forgiven: effort.forgiven + 1 };
}

/**
 * Equal jitter: half of the pause is certain, half is drawn, so that clients do not come back in step. A server that
 * asks for less, or whose clock is behind, does not use the tries up at once.
 *
 * @param drawn from 0 up to 1
 */
function pauseBefore({ tries }: Effort, policy: Required<RetryPolicy>, drawn: number): number {
  const longest = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (tries - 1));
  return longest / 2 + (drawn * longest) / 2;
}
