import { expect, test } from 'vitest';

import { utcText } from '../../../../src/model/amount-text.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import { findProblems } from '../../../../src/sync/report/shop-problems.ts';
import { readShopReports } from '../../../../src/sync/report/shop-report.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { openShop } from '../../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-20T20:00:00Z');
const SCHEDULED = { kind: 'sync', isScheduled: true } as const;

test('a day that cannot be verified is retried at growing intervals, at once by a person, and is fine after one success', async () => {
  const made = { orders: 60, days: 15, seed: 5, now: PRESENT };
  const { client, clock, db, rows, shop, ...ground } = await openShop(made);
  const sweep = (request: SweepRequest = SCHEDULED) => ground.sweep(request);
  const attempts = async () => {
    const { rows } = await client.query<{ attempts: number }>(
      `SELECT max(attempts) AS attempts FROM tested.days`,
    );
    return rows[0]?.attempts ?? 0;
  };
  const createdLocal = Temporal.PlainDateTime.from('2026-03-09T09:30');
  const { orderId } = shop.insertOrder({ createdLocal });
  shop.setRaw(orderId, { order_id: 'none' });
  expect(await sweep()).toMatchObject({ status: 'partial' });
  const tried: number[] = [0];
  for (let minute = 1; minute <= 32; minute++) {
    clock.pass({ minutes: 1 });
    const before = await attempts();
    const result = await sweep();
    expect(result.problems).toHaveLength(1);
    if ((await attempts()) > before) tried.push(minute);
  }
  expect(tried).toEqual([0, 1, 3, 7, 15, 31]);
  const [report] = await readShopReports(db, clock.now(), 'test');
  const status = report?.status;
  expect(status).toMatchObject({ days_failed: 1, day_error: expect.stringContaining('order_id') });
  const retryAt = PRESENT.add({ minutes: 63 });
  expect(status?.retry_at).toBe(retryAt.toString());
  const [problem] = status ? findProblems(status, clock.now()) : [];
  expect(problem?.what).toContain('the shop lists an order whose order_id is no 64-bit integer');
  expect(problem?.advice).toContain(`at ${utcText(retryAt)}`);
  const later = await sweep({ ...SCHEDULED, from: Temporal.PlainDate.from('2026-03-10') });
  expect(later, 'of days after it').toMatchObject({ status: 'ok', problems: [] });
  await sweep({ kind: 'sync' });
  expect(await attempts()).toBe(7);
  shop.setRaw(orderId, { order_id: orderId });
  expect(await sweep()).toMatchObject({ status: 'partial' });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', problems: [] });
  expect(await attempts()).toBe(0);
  expect(await rows('SELECT 1 FROM tested.days WHERE retry_at IS NOT NULL')).toEqual([]);
});

test('days that fail together are retried at growing intervals, for whatever reason', async () => {
  const made = { orders: 60, days: 15, seed: 5, now: PRESENT };
  const { client, clock, shop, sweep } = await openShop(made);
  const given = { freshness: parseFreshness('4d:5m,*:1h') };
  // An element that says nothing of itself, between the orders of two days.
  const createdLocal = Temporal.PlainDateTime.from('2026-03-16T23:59');
  const { orderId } = shop.insertOrder({ createdLocal });
  shop.setRaw(orderId, { order_id: null, created: null, time: null });
  // And for another reason one of them, which is no further attempt.
  const other = shop.insertOrder({ createdLocal: createdLocal.subtract({ hours: 9 }) });
  shop.setRaw(other.orderId, { order_id: '9223372036854775808' });
  const tried: number[] = [];
  for (let minute = 0; minute <= 18; minute++) {
    const attempts = `SELECT day::text, attempts FROM tested.days WHERE attempts > 0 ORDER BY day`;
    await sweep(SCHEDULED, given);
    const { rows } = await client.query<{ day: string; attempts: number }>(attempts);
    expect(rows.map(({ day }) => day)).toEqual(['2026-03-16', '2026-03-17']);
    if (rows[0]?.attempts === tried.length + 1) tried.push(minute);
    clock.pass({ minutes: 1 });
  }
  expect(tried).toEqual([0, 1, 3, 7, 15]);
});
