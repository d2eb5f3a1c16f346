import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { pauseAfterFailuresMs } from '../../src/worker/sweep-job.ts';

test('the pause after a failure starts at a minute and doubles up to ten minutes', () => {
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
