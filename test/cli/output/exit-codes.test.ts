import { expect, test } from 'vitest';

import { EXIT, worse } from '../../../src/cli/output/io.ts';

test('of several shops, the worst exit code counts: failed, partial, different, done', () => {
  const fromBest = [0, 4, 3, 1, 2, 130];
  const inOrder = Object.values(EXIT).toSorted((a, b) => (a === b ? 0 : worse(a, b) === b ? -1 : 1));
  expect(inOrder).toEqual(fromBest);
  for (const code of Object.values(EXIT)) expect(worse(code, code)).toBe(code);
});
