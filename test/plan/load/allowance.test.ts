import { expect, test } from 'vitest';

import { AT_ONCE, CAREFUL } from '../../../src/plan/load/allowance.ts';

test.each([
  { limits: CAREFUL, written: [0, 10, 60, 100, 5_000], orders: [20, 20, 120, 200, 200] },
  { limits: AT_ONCE, written: [0, 10, 60, 100, 5_000], orders: [500, 500, 500, 500, 500] },
])('%# orders that may be unwritten grow with those written, unless no process was killed', (given) => {
  expect(given.written.map(given.limits.orders)).toEqual(given.orders);
});

test.each([
  { limits: CAREFUL, concluded: [0, 2, 5, 8, 90], windows: [2, 2, 5, 8, 8] },
  { limits: AT_ONCE, concluded: [0, 2, 5, 8, 90], windows: [8, 8, 8, 8, 8] },
])('%# windows that may be unwritten grow with those written, unless no process was killed', (given) => {
  expect(given.concluded.map(given.limits.windows)).toEqual(given.windows);
});

test.each([
  { limits: CAREFUL, slots: [1, 4, 16, 100], contents: [64, 64, 64, 64] },
  { limits: AT_ONCE, slots: [1, 4, 16, 100], contents: [5, 8, 20, 64] },
])(
  '%# lists wait behind contents, unless no process was killed: then a few contents wait for a slot',
  (given) => {
    expect(given.slots.map(given.limits.contents)).toEqual(given.contents);
  },
);
