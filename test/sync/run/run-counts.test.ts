import { expect, test } from 'vitest';

import { newCounters } from '../../../src/sync/run/context.ts';
import { runCounts } from '../../../src/sync/run/run-record.ts';

test('the figures of a run are those since it began, of all routes but the login', () => {
  const before = { orders: 1, content: 20, user: 300, groups: 4_000, auth: 50_000, retries: 600_000 };
  const now = { orders: 3, content: 23, user: 304, groups: 4_005, auth: 50_006, retries: 600_007 };
  expect(runCounts(now, before, newCounters())).toMatchObject({
    requests: 2 + 3 + 4 + 5,
    list_requests: 2,
    content_requests: 3,
    user_requests: 4,
    retries: 7,
  });
});
