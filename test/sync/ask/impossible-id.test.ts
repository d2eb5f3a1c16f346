import { expect, test } from 'vitest';

import { impossibleId } from '../../../src/sync/ask/questions.ts';

test.each([
  [0n, '2147483647'],
  [100_234n, '2147483647'],
  // At least twice as large.
  [2n ** 30n - 2n, '2147483647'],
  [2n ** 30n - 1n, '999999999999999'],
  [2n ** 30n, '999999999999999'],
  [2n ** 50n, '9223372036854775807'],
  [2n ** 63n - 1n, '9223372036854775807'],
])('where the largest is %s, %s cannot be', (largest, id) => {
  expect(impossibleId(largest)).toBe(id);
});
