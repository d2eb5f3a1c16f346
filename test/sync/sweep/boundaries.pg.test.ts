import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { withShop } from '../../support/shop.ts';

/** Local time of the shop -> the instant that it means; of a time shown twice the first, of one skipped the later. */
type Day = {
  readonly name: string;
  readonly zone: string;
  readonly day: string;
  readonly times: Readonly<Record<string, string>>;
};

const DAYS: readonly Day[] = [
  {
    name: 'the day of the skipped hour in Berlin',
    zone: 'Europe/Berlin',
    day: '2025-03-30',
    times: {
      '2025-03-29T23:59:00': '2025-03-29T22:59:00Z',
      '2025-03-29T23:59:59': '2025-03-29T22:59:00Z',
      '2025-03-30T00:00:00': '2025-03-29T23:00:00Z',
      '2025-03-30T00:00:59': '2025-03-29T23:00:00Z',
      '2025-03-30T01:59:59': '2025-03-30T00:59:00Z',
      '2025-03-30T02:00:00': '2025-03-30T01:00:00Z',
      '2025-03-30T02:30:30': '2025-03-30T01:30:00Z',
      '2025-03-30T03:00:00': '2025-03-30T01:00:00Z',
      '2025-03-30T03:30:00': '2025-03-30T01:30:00Z',
      '2025-03-30T23:59:00': '2025-03-30T21:59:00Z',
      '2025-03-30T23:59:59': '2025-03-30T21:59:00Z',
      '2025-03-31T00:00:00': '2025-03-30T22:00:00Z',
      '2025-03-31T00:00:01': '2025-03-30T22:00:00Z',
    },
  },
  {
    name: 'the day of the doubled half hour on Lord Howe Island',
    zone: 'Australia/Lord_Howe',
    day: '2025-04-06',
    times: {
      '2025-04-05T23:59:59': '2025-04-05T12:59:00Z',
      '2025-04-06T00:00:00': '2025-04-05T13:00:00Z',
      '2025-04-06T01:29:59': '2025-04-05T14:29:00Z',
      '2025-04-06T01:30:00': '2025-04-05T14:30:00Z',
      '2025-04-06T01:45:00': '2025-04-05T14:45:00Z',
      '2025-04-06T02:00:00': '2025-04-05T15:30:00Z',
      '2025-04-06T23:59:59': '2025-04-06T13:29:00Z',
      '2025-04-07T00:00:00': '2025-04-06T13:30:00Z',
    },
  },
];
const DIALECTS: readonly Partial<Dialect>[] = [
  { dateTo: 'inclusive', datePrecision: 'second', listOrder: 'desc' },
  { dateTo: 'inclusive', datePrecision: 'minute', listOrder: 'asc' },
  { dateTo: 'exclusive', datePrecision: 'second', listOrder: 'asc' },
  { dateTo: 'exclusive', datePrecision: 'minute', listOrder: 'desc' },
];
/** So small that windows end at any minute, and so large that they end at midnights. */
const PAGE_LIMITS = [3, 500];

test.each(DAYS)('$name: every order is loaded once, on its day, at its instant', ({ zone, day, times }) =>
  inWarehouse(async ({ client, db }) => {
    const middle = Temporal.PlainDate.from(day);
    const [first, last] = [middle.subtract({ days: 2 }), middle.add({ days: 2 })];
    const now = last.toZonedDateTime({ timeZone: zone, plainTime: '12:00' }).toInstant();
    for (const [index, dialect] of DIALECTS.entries()) {
      await using simulator = makeShopInProcess({ orders: 0, days: 1, now, timezone: zone, dialect });
      const expected = Object.entries(times).map(([local, instant]) => {
        const createdLocal = Temporal.PlainDateTime.from(local);
        const { orderId } = simulator.shop.insertOrder({ createdLocal });
        const minute = createdLocal.toString({ smallestUnit: 'minute' });
        return { order_id: String(orderId), created_on: minute.slice(0, 10), local: minute, at: instant };
      });
      for (const pageLimit of PAGE_LIMITS) {
        const shopKey = `shop-${index}-${pageLimit}`;
        const clock = testClock(now);
        const given = { shopKey, pageLimit, timezone: zone, historyFrom: first };
        const means = { now: clock.now, through: withoutGroups };
        const sweep = () => sweepOnce(simulator, db, { kind: 'backfill', force: true }, given, means);
        const counts = { days_verified: 5, orders_seen: expected.length, orders_new: expected.length };
        expect(await sweep()).toMatchObject({ status: 'ok', ...counts });
        const { rows } = await client.query(
          `SELECT order_id::text, created_on::text, to_char(created_local, 'YYYY-MM-DD"T"HH24:MI') AS local,
             to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at
           FROM tested.orders o JOIN tested.shops USING (shop_id) WHERE shop_key = $1 ORDER BY order_id`,
          [shopKey],
        );
        expect(rows).toEqual(expected);
        const { rows: days } = await client.query<{ day: string; orders_seen: number }>(
          'SELECT day::text, orders_seen FROM tested.days JOIN tested.shops USING (shop_id) WHERE shop_key = $1',
          [shopKey],
        );
        const ofDay = (text: string) => expected.filter(({ created_on }) => created_on === text).length;
        expect(days.map(({ orders_seen }) => orders_seen)).toEqual(days.map((row) => ofDay(row.day)));

        clock.pass({ minutes: 1 });
        const again = { orders_seen: expected.length, orders_new: 0, orders_changed: 0, orders_missing: 0 };
        expect(await sweep()).toMatchObject({ status: 'ok', ...again, content_requests: 0 });
        expect(await differences(client, simulator.shop, { shopKey })).toEqual([]);
        // The address of a shop that is held would be refused under another key.
        await client.query(`UPDATE tested.shops SET base_url = 'https://' || shop_key || '.example'`);
      }
    }
  }),
);

test('an order between a sweep and midnight arrives with the next sweep, however rarely days are verified', async () => {
  const now = Temporal.Instant.from('2026-03-10T19:00:00Z');
  await withShop(
    { orders: 30, days: 4, now, timezone: 'Europe/Berlin' },
    async ({ client, clock, db, means, simulator }) => {
      const given = { freshness: parseFreshness('1d:1m, *:7d') };
      const sweep = () => sweepOnce(simulator, db, { kind: 'sync' }, given, means);
      await sweep();
      // The last minute of the day, in the shop.
      simulator.shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-03-10T23:59:30') });
      clock.pass({ hours: 4 });
      expect(await sweep()).toMatchObject({ status: 'ok', days_verified: 2, orders_new: 1 });
      expect(await differences(client, simulator.shop)).toEqual([]);
      clock.pass({ minutes: 1 });
      expect(await sweep()).toMatchObject({ status: 'ok', days_verified: 1, orders_new: 0 });
    },
  );
});
