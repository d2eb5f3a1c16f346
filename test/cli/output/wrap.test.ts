import { expect, test } from 'vitest';

import { wrapLines } from '../../../src/cli/output/display-text.ts';

test('sentences are wrapped between words, and what is indented stays so', () => {
  expect(wrapLines('Load: about 27 min\n  First order: 2024-01-31\n', 16)).toBe(
    'Load: about 27\nmin\n  First order:\n    2024-01-31\n',
  );
  expect(wrapLines('  as it is', undefined)).toBe('  as it is');
});
