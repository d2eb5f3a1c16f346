import { expect, test } from 'vitest';

import { LINES_RETRY, linesPauseMs } from '../../src/plan/lines-retry.ts';

test('lines that could not be fetched are requested after a minute, which doubles up to four hours and more', () => {
  const minutes = [0, 1, 2, 3, 8, 9, 10, 1_000].map(
    (attempts) => linesPauseMs(LINES_RETRY, attempts) / 60_000,
  );
  expect(minutes).toEqual([1, 1, 2, 4, 128, 256, 256, 256]);
});
