import { expect, test } from 'vitest';

import { complete, problemsOf } from '../support/settings.ts';

test('Node’s own setting cannot turn off certificate checks', () => {
  for (const needsShop of [true, false]) {
    const [problem, ...others] = problemsOf({ ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, needsShop);
    expect(problem).toMatch(/^NODE_TLS_REJECT_UNAUTHORIZED must not be 0.*NODE_EXTRA_CA_CERTS/);
    expect(others).toEqual([]);
  }
  expect(problemsOf({ ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([]);
});
