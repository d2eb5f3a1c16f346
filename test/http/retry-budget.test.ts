import { expect, test } from 'vitest';

import { RetryBudget } from '../../src/http/retry-budget.ts';

const POLICY = { burst: 3, perSuccess: 0.25, refillMs: 10_000, maxWaitMs: 25_000 };

/** A budget by a clock that the test sets. */
function budgetWith(time: { nowMs: number }): RetryBudget {
  const clock = { nowMs: () => time.nowMs, sleep: () => Promise.resolve() };
  return new RetryBudget(POLICY, clock);
}

/** The waits of so many retries at one instant. */
const waits = (budget: RetryBudget, count: number) => Array.from({ length: count }, () => budget.spend());

test('a burst is free, then retries wait for each other, and none longer than allowed', () => {
  expect(waits(budgetWith({ nowMs: 0 }), 8)).toEqual([0, 0, 0, 10_000, 20_000, 25_000, 25_000, 25_000]);
});

test('answers and time add retries to the budget, up to the burst', () => {
  const time = { nowMs: 0 };
  const budget = budgetWith(time);
  waits(budget, 3);
  for (let answers = 0; answers < 8; answers++) budget.recordSuccess();
  expect(waits(budget, 3)).toEqual([0, 0, 10_000]);
  time.nowMs += 30_000;
  expect(waits(budget, 3)).toEqual([0, 0, 10_000]);
  time.nowMs += 1e9;
  expect(waits(budget, 4)).toEqual([0, 0, 0, 10_000]);
});
