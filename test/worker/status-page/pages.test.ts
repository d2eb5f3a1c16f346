/** Whole pages as they are shown: with every part filled, with none, and before anything was read. */
import { expect, test } from 'vitest';

import type { Calendar, DayState } from '../../../src/plan/days/calendar.ts';
import type { ShopDetails } from '../../../src/sync/report/shop-details.ts';
import type { Html } from '../../../src/worker/status-page/layout.ts';
import { shopPage } from '../../../src/worker/status-page/shop-page.ts';
import { run } from '../status-json.ts';
import { detailsOf, type GivenDetails, NOW } from './shop-details.ts';

const CONTEXT = { now: NOW, version: '1.2.3' };

/** What a reader sees: a line for each heading, row, entry and drawing. */
async function read(page: Html): Promise<readonly string[]> {
  const [, main = ''] = /<main>([^]*)<\/main>/.exec(String(await page)) ?? [];
  return main
    .replaceAll(
      /<svg[^>]*>[^]*?<\/svg>/g,
      (drawing) => `[${/aria-label="([^"]*)"/.exec(drawing)?.[1] ?? ''}]\n`,
    )
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<\/(?:th|td|dt|strong)>/g, ' | ')
    .replaceAll(/<(?:h\d|p|tr|li|dl|div|summary)\b[^>]*>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/ +/g, ' ')
        .replace(/[ |]+$/, '')
        .trim(),
    )
    .filter((line) => line !== '');
}

/** Days to the 10th of March 2026 with orders in a pattern that repeats nowhere near. */
function daysFrom(
  first: string,
  stateOf: (index: number) => DayState,
  countOf = (index: number) => ((index * 7) % 23) * 10,
): Pick<ShopDetails, 'calendar' | 'ordersByDay'> {
  const firstDay = Temporal.PlainDate.from(first);
  const length = firstDay.until('2026-03-10', { largestUnit: 'days' }).days + 1;
  const states = Array.from({ length }, (_, index) => stateOf(index));
  const calendar: Calendar = { firstDay, states };
  return { calendar, ordersByDay: states.map((state, index) => (state === 'empty' ? 0 : countOf(index))) };
}

const STATES = ['verified', 'verified', 'empty', 'verified', 'due', 'verified', 'verified'] as const;
const usual = (index: number): DayState => STATES[index % STATES.length] ?? 'verified';

const FULL: GivenDetails = {
  status: {
    days_due: 1_004,
    requests_last_day: 2_880,
    open_rejections: 1_017,
    day_error: 'the list changed',
    days_failed: 2,
  },
  rejections: [
    {
      resource: 'order',
      field: 'time',
      reason: 'no time',
      open: 1_016,
      last_seen_at: NOW.subtract({ hours: 1 }),
    },
    {
      resource: 'user',
      field: null,
      reason: 'no object',
      open: 1,
      last_seen_at: NOW.subtract({ hours: 24 }),
    },
  ],
  failedDays: [
    { day: '2026-03-02', error: 'the list changed' },
    { day: '2026-03-01', error: 'no order was listed' },
  ],
};

const RUNS = [
  run({ status: 'running', finished_at: null, requests: 1_001 }),
  run({ status: 'failed', error: 'it is down', retries: 3, rejections: 4 }),
  run({ status: 'failed', error: 'it is down' }),
  run({ status: 'partial', kind: 'backfill', error: 'some', days_verified: 5, orders_new: 6_000 }),
  run({ orders_changed: 7, orders_missing: 8, error: 'said of no run that went well' }),
];
/** As the database gives it, which has a number for it. */
const STORED = RUNS.map((each) => ({
  ...each,
  run_id: 1n,
  shop_id: 1,
  started_at: Temporal.Instant.from(each.started_at),
  finished_at: each.finished_at === null ? null : Temporal.Instant.from(each.finished_at),
}));

const NEW = { days_due: null, is_loaded: false, orders: 0, days_verified: 0, runs: [], looked_at: null };

test('the page of a shop of which everything is known', async () => {
  const days = daysFrom('2021-11-20', (index) => (index === 9 ? 'failed' : usual(index)));
  expect(await read(shopPage(detailsOf({ ...FULL, ...days, runs: STORED }), CONTEXT))).toMatchInlineSnapshot(`
    [
      "north",
      "complete, 8 min old · Europe/Berlin",
      "Complete through | 2026-03-10",
      "Newest day verified | 8 min ago",
      "Days due | 1,004",
      "Orders | 12,345",
      "Open rejections | 1,017",
      "Requests in 24 hours | 2,880",
      "What to do",
      "1,017 values could not be understood, and are left out. | order-sync rejections --shop north shows samples.",
      "2 days could not be verified: the list changed. | Run order-sync sync --shop north to try again; a worker does so by itself.",
      "Newest days that could not be verified, and why: 2",
      "2026-03-02: the list changed",
      "2026-03-01: no order was listed",
      "Days",
      "Since 2021-11-20: 1,347 days verified (224 empty days), 224 due, 1 failed.",
      "2026 [2026-01-01 to 2026-03-10: 60 days verified (10 empty days), 9 due, 0 failed]",
      "2025 [2025-01-01 to 2025-06-30: 155 days verified (26 empty days), 26 due, 0 failed] [2025-07-01 to 2025-12-31: 157 days verified (26 empty days), 27 due, 0 failed]",
      "2024 [2024-01-01 to 2024-06-30: 156 days verified (26 empty days), 26 due, 0 failed] [2024-07-01 to 2024-12-31: 158 days verified (27 empty days), 26 due, 0 failed]",
      "2021–2023",
      "2023 [2023-01-01 to 2023-06-30: 155 days verified (26 empty days), 26 due, 0 failed] [2023-07-01 to 2023-12-31: 158 days verified (26 empty days), 26 due, 0 failed]",
      "2022 [2022-01-01 to 2022-06-30: 155 days verified (26 empty days), 26 due, 0 failed] [2022-07-01 to 2022-12-31: 158 days verified (26 empty days), 26 due, 0 failed]",
      "2021 [2021-11-20 to 2021-12-31: 35 days verified (5 empty days), 6 due, 1 failed]",
      "[] verified, few orders",
      "[] many orders",
      "[] verified, no order",
      "[] due: verified, but due to be read again",
      "[] not read yet",
      "[] could not be verified",
      "Orders per day",
      "The last 90 days, since 2025-12-11: 8,340 orders, at most 220 on one day. [Orders per day of the last 90 days: 8,340 in all, at most 220]",
      "Runs",
      "Began | Kind | Result | Took | Days | New | Changed | Missing | Requests | Retries | Rejections",
      "2026-03-10 11:50:00 | sync | running | 9 min | 0 | 0 | 0 | 0 | 1,001 | 0 | 0",
      "2026-03-10 11:50:00 | sync | failed | 1 min | 0 | 0 | 0 | 0 | 0 | 3 | 4",
      "it is down",
      "2026-03-10 11:50:00 | sync | failed | 1 min | 0 | 0 | 0 | 0 | 0 | 0 | 0",
      "2026-03-10 11:50:00 | backfill | partial | 1 min | 5 | 6,000 | 0 | 0 | 0 | 0 | 0",
      "some",
      "2026-03-10 11:50:00 | sync | ok | 1 min | 0 | 0 | 7 | 8 | 0 | 0 | 0",
      "Rejections",
      "Field | Reason | Open | Last seen",
      "order: time | no time | 1,016 | 1 h ago",
      "user (all of it) | no object | 1 | 1 d ago",
    ]
  `);
});

test('the page of a shop of which nothing is known yet says so in each part, and shows no zero', async () => {
  const page = String(await shopPage(detailsOf({ status: { ...NEW, counts: null } }), CONTEXT));
  expect(page.match(/Not yet: /g)?.length).toBeGreaterThan(3);
  expect(page.replaceAll(/<[^>]*>/g, ' ')).not.toMatch(/\b0 (days|orders)\b/);
});

test('a day that was not read is drawn as such among the orders per day', async () => {
  const days = daysFrom(
    '2026-03-08',
    (index) => (index === 1 ? 'unverified' : 'verified'),
    (index) => (index === 1 ? 0 : 4),
  );
  const page = String(await shopPage(detailsOf(days), CONTEXT));
  expect([...page.matchAll(/<title>(2026-[^<]*)/g)].map(([, title]) => title)).toEqual([
    '2026-03-08: 4 orders',
    '2026-03-09: not read yet',
    '2026-03-10: 4 orders',
  ]);
});
