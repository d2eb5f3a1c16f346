import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { earn, fullBudget, type RetryBudget, spend } from '../../src/http/retry-budget.ts';

const POLICY = { burst: 3, perSuccess: 0.25, refillMs: 10_000, maxWaitMs: 25_000 };

/** The waits of so many retries at one instant. */
function waits(budget: RetryBudget, count: number, nowMs: number): readonly number[] {
  let present = budget;
  return Array.from({ length: count }, () => {
    const spent = spend(present, POLICY, nowMs);
    present = spent.budget;
    return spent.waitMs;
  });
}

test('a burst is free, then retries wait for each other, and none longer than allowed', () => {
  expect(waits(fullBudget(POLICY, 0), 8, 0)).toEqual([0, 0, 0, 10_000, 20_000, 25_000, 25_000, 25_000]);
});

test('answers and time earn retries, up to the burst', () => {
  let budget: RetryBudget = { tokens: 0, atMs: 0 };
  for (let answers = 0; answers < 8; answers++) budget = earn(budget, POLICY, 0);
  expect(waits(budget, 3, 0)).toEqual([0, 0, 10_000]);
  expect(waits({ tokens: 0, atMs: 0 }, 3, 20_000)).toEqual([0, 0, 10_000]);
  expect(waits({ tokens: 0, atMs: 0 }, 4, 1e9)).toEqual([0, 0, 0, 10_000]);
});

test('whatever happens, tokens stay within bounds, and retries within what was earned', () => {
  const steps = fc.array(fc.record({ isAnswer: fc.boolean(), passMs: fc.integer({ min: -50, max: 5000 }) }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (steps) => {
      let budget = fullBudget(POLICY, 0);
      let [nowMs, latestMs, answers] = [0, 0, 0];
      const free: number[] = [];
      for (const { isAnswer, passMs } of steps) {
        nowMs += passMs;
        latestMs = Math.max(latestMs, nowMs);
        if (isAnswer) {
          answers += 1;
          budget = earn(budget, POLICY, nowMs);
        } else {
          const spent = spend(budget, POLICY, nowMs);
          budget = spent.budget;
          expect(spent.waitMs).toBeGreaterThanOrEqual(0);
          expect(spent.waitMs).toBeLessThanOrEqual(POLICY.maxWaitMs);
          if (spent.waitMs === 0) free.push(nowMs);
        }
        expect(budget.tokens).toBeLessThanOrEqual(POLICY.burst);
        expect(budget.tokens).toBeGreaterThanOrEqual(-POLICY.maxWaitMs / POLICY.refillMs);
      }
      const earned = POLICY.burst + answers * POLICY.perSuccess + latestMs / POLICY.refillMs;
      expect(free.length).toBeLessThanOrEqual(earned + 1e-6);
    }),
  );
});
