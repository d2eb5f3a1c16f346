import { expect, test } from 'vitest';

import { allowance } from '../../../src/plan/load/allowance.ts';

test('as many orders are written at once as were written before, within bounds', () => {
  expect([0, 10, 60, 100, 5_000].map(allowance)).toEqual([10, 10, 60, 100, 100]);
});
