export type BudgetPolicy = {
  /** Retries that may be made at once after a quiet period. @default 20 */
  readonly burst?: number;
  /** Retries earned by each success. @default 0.1 */
  readonly perSuccess?: number;
  /** One retry is earned in this time without any success, so that the budget never runs dry for good. @default 10_000 */
  readonly refillMs?: number;
  /** No retry waits for longer than this. @default 15_000 */
  readonly maxWaitMs?: number;
};

export const DEFAULT_BUDGET: Required<BudgetPolicy> = {
  burst: 20,
  perSuccess: 0.1,
  refillMs: 10_000,
  maxWaitMs: 15_000,
};

/** Retries that may still be made, as of an instant. Below zero they are reserved by those who wait. Pure. */
export type RetryBudget = { readonly tokens: number; readonly atMs: number };

export function fullBudget(policy: Required<BudgetPolicy>, nowMs: number): RetryBudget {
  return { tokens: policy.burst, atMs: nowMs };
}

/** A success earns a part of a retry, so that retries stay a small share of all requests. */
export function earn(budget: RetryBudget, policy: Required<BudgetPolicy>, nowMs: number): RetryBudget {
  const { tokens, atMs } = refilled(budget, policy, nowMs);
  return { tokens: Math.min(policy.burst, tokens + policy.perSuccess), atMs };
}

/**
 * Takes a token, or reserves one.
 *
 * @returns the budget after it, and how long the retry has to wait: a used-up budget fails nothing
 */
export function spend(
  budget: RetryBudget,
  policy: Required<BudgetPolicy>,
  nowMs: number,
): { readonly budget: RetryBudget; readonly waitMs: number } {
  const { tokens, atMs } = refilled(budget, policy, nowMs);
  const deepest = -policy.maxWaitMs / policy.refillMs;
  const left = Math.max(deepest, tokens - 1);
  return { budget: { tokens: left, atMs }, waitMs: Math.max(0, -left * policy.refillMs) };
}

function refilled(budget: RetryBudget, policy: Required<BudgetPolicy>, nowMs: number): RetryBudget {
  const earned = Math.max(0, nowMs - budget.atMs) / policy.refillMs;
  return { tokens: Math.min(policy.burst, budget.tokens + earned), atMs: Math.max(nowMs, budget.atMs) };
}
