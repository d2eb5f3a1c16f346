import { expect, test } from 'vitest';

import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import { FORCED, openGround, openShop } from '../../../support/shop.ts';

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

test.each(DAYS)(
  '$name: every order is loaded once, on its day, at its instant',
  async ({ zone, day, times }) => {
    const middle = Temporal.PlainDate.from(day);
    const [first, last] = [middle.subtract({ days: 2 }), middle.add({ days: 2 })];
    const now = last.toZonedDateTime({ timeZone: zone, plainTime: '12:00' }).toInstant();
    for (const dialect of DIALECTS) {
      const made = { orders: 0, days: 1, now, timezone: zone, dialect };
      await using ground = await openGround(made);
      const { client, clock, differences, rows, shop } = ground;
      const expected = Object.entries(times).map(([local, instant]) => {
        const createdLocal = Temporal.PlainDateTime.from(local);
        const { orderId } = shop.insertOrder({ createdLocal });
        const minute = createdLocal.toString({ smallestUnit: 'minute' });
        return { order_id: String(orderId), created_on: minute.slice(0, 10), local: minute, at: instant };
      });
      for (const pageLimit of PAGE_LIMITS) {
        const shopKey = `shop-${pageLimit}`;
        clock.pass({ minutes: 1 });
        const given = { shopKey, pageLimit, timezone: zone, historyFrom: first };
        const sweep = () => ground.sweep(FORCED, given);
        const counts = { days_verified: 5, orders_seen: expected.length, orders_new: expected.length };
        expect(await sweep()).toMatchObject({ status: 'ok', ...counts });
        const ofShop = `JOIN tested.shops USING (shop_id) WHERE shop_key = '${shopKey}'`;
        const stored = await rows(
          `SELECT order_id::text, created_on::text, to_char(created_local, 'YYYY-MM-DD"T"HH24:MI') AS local,
           to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at
         FROM tested.orders o ${ofShop} ORDER BY order_id`,
        );
        expect(stored).toEqual(expected);
        const days = await rows(`SELECT day::text, orders_seen FROM tested.days ${ofShop}`);
        const ofDay = (text: string) => expected.filter(({ created_on }) => created_on === text).length;
        expect(days.map(({ orders_seen }) => orders_seen)).toEqual(days.map((row) => ofDay(row.day)));

        clock.pass({ minutes: 1 });
        const again = { orders_seen: expected.length, orders_new: 0, orders_changed: 0, orders_missing: 0 };
        expect(await sweep()).toMatchObject({ status: 'ok', ...again, content_requests: 0 });
        expect(await differences({ shopKey })).toEqual([]);
        // The address of a shop that is held would be refused under another key.
        await client.query(`UPDATE tested.shops SET base_url = 'https://' || shop_key || '.example'`);
      }
    }
  },
);

test('an order between a sweep and midnight arrives with the next sweep, however rarely days are verified', async () => {
  const now = Temporal.Instant.from('2026-03-10T19:00:00Z');
  const made = { orders: 30, days: 4, now, timezone: 'Europe/Berlin' };
  const { clock, differences, shop, ...ground } = await openShop(made);
  const sweep = () => ground.sweep({ kind: 'sync' }, { freshness: parseFreshness('1d:1m, *:7d') });
  await sweep();
  // The last minute of the day, in the shop.
  shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-03-10T23:59:30') });
  clock.pass({ hours: 4 });
  expect(await sweep()).toMatchObject({ status: 'ok', days_verified: 2, orders_new: 1 });
  expect(await differences()).toEqual([]);
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok', days_verified: 1, orders_new: 0 });
});

// Of such a shop the day may not be proven, with or without such an order.
test.each(['desc', 'asc'] as const)(
  'an order without a time belongs to its whole day, which is read in parts: %s',
  async (listOrder) => {
    for (const at of [1, 40, 99, 160]) {
      const dialect = { reach: 100, listOrder } as const;
      await using ground = await openGround({ orders: 12, days: 8, seed: 1, dialect });
      const first = Temporal.PlainDateTime.from('2026-03-06T20:39');
      const crowd = Array.from({ length: 201 }, (_, minutes) =>
        ground.shop.insertOrder({ createdLocal: first.add({ minutes }) }),
      );
      ground.shop.setRaw(crowd.at(-1 - at)?.orderId ?? 0, { time: '' });
      const swept = await ground.sweep();
      expect(swept).toMatchObject({ status: expect.stringMatching(/^(ok|partial)$/), orders_new: 213 });
    }
  },
);
