/** What `status` shows of a shop, with figures that all differ. */
import { expect } from 'vitest';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { test } from '../../../support/fixtures.ts';
import { runInProcess as run } from '../../../support/run-in-process.ts';
import { sweepOnce, withoutGroups } from '../../../support/sweep.ts';

const ORDERS = 'SELECT order_id FROM tested.orders ORDER BY order_id';
const DAYS = 'SELECT day FROM tested.days ORDER BY day';
const FIGURES = `
  UPDATE tested.orders SET missing_since = now() WHERE order_id IN (${ORDERS} LIMIT 5);
  UPDATE tested.orders SET deleted_at = now() WHERE order_id IN (${ORDERS} LIMIT 3);
  UPDATE tested.orders SET lines_state = 'failed' WHERE order_id IN (${ORDERS} OFFSET 6 LIMIT 7);
  UPDATE tested.days SET verified_at = NULL WHERE day IN (${DAYS} LIMIT 4);
  UPDATE tested.days SET verified_at = now() - interval '1 year' WHERE day IN (${DAYS} OFFSET 6 LIMIT 2);
  UPDATE tested.runs SET started_at = now() - interval '3 hours', days_verified = 11, orders_seen = 60, orders_new = 59,
    orders_changed = 8, requests = 78, rejections = 1;
  UPDATE tested.shop_figures f SET (orders, orders_missing, orders_deleted, orders_without_lines) = (
    SELECT s.orders, s.orders_missing, s.orders_deleted, s.orders_without_lines
    FROM core.shop_summaries s WHERE s.shop_id = f.shop_id)`;

test('status shows each figure in its place', async ({ own: { client, db, url } }) => {
  await using simulator = await startSimulator({ orders: 60, days: 12, seed: 8 });
  const { requests } = await sweepOnce(simulator, db, undefined, {}, { through: withoutGroups });
  await client.query(FIGURES);
  const days = (await client.query(DAYS)).rowCount ?? 0;
  const { stdout } = await run(['status', '--shop', 'test'], { DATABASE_URL: url });
  const shown = stdout
    .replaceAll(/\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d UTC)?/g, 'T')
    .replaceAll(/\d+ s ago/g, 'just now')
    .replace(/after \d\d:\d\d UTC/, 'after HH:MM UTC')
    .replace(/\d+ list requests/, 'N list requests');
  expect(shown.split('\n').filter((line) => !line.includes('Extra order fields'))).toEqual([
    'Shop test (Europe/Berlin): catching up, 6 days to read',
    '  Warning: 7 orders without up-to-date lines. They are fetched again by the next sweeps.',
    "  To do: 2 orders disappeared from the shop's list; a sync after HH:MM UTC confirms whether they were deleted. " +
      'Run `order-sync sync --shop test` for that; a worker does so by itself.',
    '  Complete through  not yet',
    '  Freshness         T read just now, target 1 min',
    `  Coverage          T to T: ${days - 6} days verified, 6 not yet`,
    '  Days due now      6',
    '  Last look         just now (T)',
    '  Orders            57 (2 missing, 3 deleted)',
    '  Without lines     7',
    '  Open rejections   0',
    `  Requests          ${requests} in the last 24 hours; in an hour in which nothing changes, N list requests by FRESHNESS`,
    "  Shop's counts     not yet",
    '  Shop is asked     up to 8 at once and 100000 a second, the most that the settings allow',
    '',
    'last runs  kind      status  days  orders  new  changed  requests  rejected',
    '3 h ago    backfill  ok        11      60   59        8        78         1',
    '',
  ]);
});
