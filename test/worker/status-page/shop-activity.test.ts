import { expect, test } from 'vitest';

import { runTable } from '../../../src/worker/status-page/shop-activity.ts';
import { run } from '../status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test('what runs in a row ended with is said once', async () => {
  const failed = (error: string) => run({ status: 'failed', error });
  const runs = [failed('the login is refused'), failed('the login is refused'), failed('it is down'), run()];
  const stored = runs.map((each) => ({ ...each, run_id: 1n, shop_id: 1, started_at: NOW, finished_at: NOW }));
  const text = String(await runTable(stored, NOW));
  expect(text.match(/the login is refused|it is down/g)).toEqual(['the login is refused', 'it is down']);
});
