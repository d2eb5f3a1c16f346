import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { pauseAfterFailuresMs } from '../../src/worker/pause-after-failures.ts';

test('the first failure costs a minute, further ones more and more, never more than ten minutes', () => {
  expect([0, 1, 2, 3, 4, 5].map(pauseAfterFailuresMs)).toEqual([
    0, 60_000, 120_000, 240_000, 480_000, 600_000,
  ]);
  fc.assert(
    fc.property(fc.nat(10_000), (failures) => {
      const [now, next] = [pauseAfterFailuresMs(failures), pauseAfterFailuresMs(failures + 1)];
      expect(next).toBeGreaterThanOrEqual(now);
      expect(next).toBeLessThanOrEqual(600_000);
    }),
  );
});
