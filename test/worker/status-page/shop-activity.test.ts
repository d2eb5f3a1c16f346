import { expect, test } from 'vitest';

import type { ShopDetails } from '../../../src/sync/report/shop-details.ts';
import type { ShopStatusJson } from '../../../src/sync/report/shop-report.ts';
import { activitySections } from '../../../src/worker/status-page/shop-activity.ts';
import { run, shopJson } from '../status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const COUNTS = {
  at: '2026-03-10T11:59:30Z',
  through: '2026-03-08',
  orders: 12_000,
  facets: 20,
  requests_per_hour: 1_200,
  set_aside: [
    {
      facet: "status ''",
      reason: "the shop's filter found 3 orders of 2026-03-01 where 0 match",
      until: '2026-03-10T13:00:00Z',
    },
  ],
};

/** The sections, without the white space around their texts and without markup. */
async function textOf(given: Partial<ShopStatusJson>, runs: readonly ReturnType<typeof run>[] = []) {
  const status = shopJson({ steady_list_requests_per_hour: 127.4, ...given });
  const report = { freshness: [], status, requestsByHour: [] };
  const stored = runs.map((each) => ({
    ...each,
    started_at: Temporal.Instant.from(each.started_at),
    finished_at: null,
  }));
  const details: unknown = { report, rejections: [], runs: stored };
  const page = String(await activitySections(details as ShopDetails, status, NOW));
  return page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('what counts cover, how old they are and what is set aside is shown, and what they cost', async () => {
  const text = await textOf({ counts: COUNTS });
  expect(text).toContain('Last 30 s ago : what the shop itself counts');
  expect(text).toContain('12,000 orders through 2026-03-08 by 20 facets');
  expect(text).toContain(
    'status &#39;&#39; the shop&#39;s filter found 3 orders of 2026-03-01 where 0 match 2026-03-10 13:00:00',
  );
  expect(text).toContain(
    'nothing changes in the shop, 127 list requests by FRESHNESS, and 1,200 counts by COUNT_EVERY keep',
  );
});

test('a shop that is not asked to count costs no counts', async () => {
  expect(await textOf({ counts: null })).toContain('shop, 127 list requests by FRESHNESS keep the copy');
  expect(await textOf({ counts: { ...COUNTS, requests_per_hour: 0, set_aside: [] } })).not.toContain(
    'counts by',
  );
});

test('what is asked for less often than once an hour is said to be one request', async () => {
  const counts = { ...COUNTS, requests_per_hour: 0.2 };
  expect(await textOf({ counts, steady_list_requests_per_hour: 0.3 })).toContain(
    'shop, 1 list request by FRESHNESS, and 1 count by COUNT_EVERY keep',
  );
});

test('what runs in a row ended with is said once', async () => {
  const failed = (error: string) => run({ status: 'failed', error });
  const runs = [failed('the login is refused'), failed('the login is refused'), failed('it is down'), run()];
  const text = await textOf({}, runs);
  expect(text.match(/the login is refused|it is down/g)).toEqual(['the login is refused', 'it is down']);
});
