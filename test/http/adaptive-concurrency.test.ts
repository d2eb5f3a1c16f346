import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { decrease, fullConcurrency, increase } from '../../src/http/adaptive-concurrency.ts';

test('a failure halves it, failures of the same round do not halve it again, and the minimum is one', () => {
  let state = decrease(fullConcurrency(9), 3, 8);
  expect(state).toMatchObject({ allowed: 4, lowest: 4 });
  for (const known of [1, 7, 8]) expect(decrease(state, known, 12)).toBe(state);
  for (const [number, allowed] of [
    [9, 2],
    [10, 1],
    [11, 1],
  ] as const) {
    state = decrease(state, number, number);
    expect(state).toMatchObject({ allowed, lowest: allowed });
  }
});

test('it stays between 1 and the maximum, and from anywhere 200 successes lead back to the maximum', () => {
  const events = fc.array(fc.oneof(fc.constant('answer' as const), fc.nat(20)), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), events, (max, events) => {
      let state = fullConcurrency(max);
      let newest = 0;
      for (const event of events) {
        newest += 1;
        const before = state;
        state = event === 'answer' ? increase(state) : decrease(state, newest - event, newest);
        expect(state.allowed).toBeGreaterThanOrEqual(1);
        expect(state.allowed).toBeLessThanOrEqual(max);
        expect(state.lowest).toBeLessThanOrEqual(Math.floor(state.allowed));
        if (event !== 'answer') expect(state.allowed).toBeGreaterThanOrEqual(Math.floor(before.allowed / 2));
      }
      for (let answers = 0; answers < 200; answers++) state = increase(state);
      expect(Math.floor(state.allowed)).toBe(max);
    }),
  );
});
