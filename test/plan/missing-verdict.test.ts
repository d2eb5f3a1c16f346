import { expect, test } from 'vitest';

import { mayMarkMissing } from '../../src/plan/missing-verdict.ts';

test.each([
  // Twenty may vanish whatever their share.
  { held: 0, missing: 0, may: true },
  { held: 1, missing: 1, may: true },
  { held: 20, missing: 20, may: true },
  { held: 21, missing: 21, may: false },
  // A fifth may vanish whatever their number.
  { held: 104, missing: 21, may: false },
  { held: 105, missing: 21, may: true },
  { held: 109, missing: 22, may: false },
  { held: 110, missing: 22, may: true },
  { held: 100_000, missing: 20_000, may: true },
  { held: 100_000, missing: 20_001, may: false },
  { held: 100_000, missing: 100_000, may: false },
])('$missing of $held orders that vanished are marked: $may', ({ held, missing, may }) => {
  expect(mayMarkMissing(held, missing)).toBe(may);
});
