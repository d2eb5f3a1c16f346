import { expect, test } from 'vitest';

import { backOffMs } from '../../src/model/back-off.ts';

test('a pause is a minute at first, and doubles with each attempt up to the longest one', () => {
  const minutes = [0, 1, 2, 3, 8, 9, 10, 32_767].map(
    (attempts) => backOffMs(attempts, 256 * 60_000) / 60_000,
  );
  expect(minutes).toEqual([1, 1, 2, 4, 128, 256, 256, 256]);
});
