/** Whole pages as they are shown: with every part filled, with none, and before anything was read. */
import { expect, test } from 'vitest';

import type { Calendar, DayState } from '../../../src/plan/days/calendar.ts';
import type { ShopDetails } from '../../../src/sync/report/shop-details.ts';
import type { ShopStatusJson } from '../../../src/sync/report/shop-report.ts';
import type { Html } from '../../../src/worker/status-page/text.ts';
import { shopPage } from '../../../src/worker/status-page/shop-page.ts';
import { run, shopJson } from '../status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const CONTEXT = { now: NOW, version: '1.2.3' };
const MESSAGE = 'if the pages are to change: npx vitest run test/worker/status-page/pages --update';

/** One line for each line that has text or markup; of what is drawn, the beginning and the end; of bars and labels, the last. */
async function readable(page: Html): Promise<string> {
  const path = /(?<= d="[^"]{40})[^"]*(?=[^"]{20}")/g;
  const drawn = String(await page).replaceAll(path, (rest) => `… ${rest.match(/M/g)?.length ?? 0} more …`);
  return `${drawn
    .replaceAll(/<(rect|text)[^]*?<\/\1>\s*(?=<\1)/g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()}\n`;
}

type Given = Partial<Omit<ShopDetails, 'report'>> & { readonly status?: Partial<ShopStatusJson> };

const NO_DAYS = { calendar: undefined, ordersByDay: [] };

function detailsOf({ status, ...given }: Given): ShopDetails {
  const report: unknown = { status: shopJson(status) };
  const rest = { asOf: NOW, rejections: [], failedDays: [], runs: [], ...NO_DAYS };
  return { report: report as ShopDetails['report'], ...rest, ...given };
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

const FULL: Given = {
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
      last_seen_at: Temporal.Instant.from('2026-03-10T11:00:00Z'),
    },
    {
      resource: 'user',
      field: null,
      reason: 'no object',
      open: 1,
      last_seen_at: Temporal.Instant.from('2026-03-09T12:00:00Z'),
    },
  ],
  failedDays: [
    { day: '2026-03-02', error: 'the list changed' },
    { day: '2026-03-01', error: 'no order was listed' },
  ],
};

const RUNS = [
  run({ status: 'running', finished_at: null, requests: 1_001, error: 'not said before its end' }),
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
  const page = await readable(shopPage(detailsOf({ ...FULL, ...days, runs: STORED }), CONTEXT));
  await expect(page, MESSAGE).toMatchFileSnapshot('golden/shop-full.txt');
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
