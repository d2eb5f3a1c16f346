/** What a quiet shop is asked for by a worker with default settings, hour by hour, and how soon changes are seen all the same. */
import { expect, test } from 'vitest';

import { loadConfig } from '../../../../src/config/load-config.ts';
import { readShopReports } from '../../../../src/sync/report/shop-report.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const REQUESTS = { ofMost: 300, hours: IS_LONG ? 3 : 1 };

function defaultsOf() {
  const env = { SHOP_URL: 'https://shop.example', SHOP_LOGIN: 'a', SHOP_API_KEY: 'b', SHOP_TIMEZONE: 'UTC' };
  const [shop] = loadConfig({ env, readFile: () => '' }, { shop: true }).shops;
  if (shop === undefined) throw new Error('there is no shop');
  const { freshness, countEveryMs, pageLimit } = shop;
  return { freshness, countEveryMs, pageLimit };
}

test('a quiet shop of 1,200 orders is asked 300 times an hour at most, and changes are seen within ten minutes', async () => {
  const made = { orders: 1_200, days: 300, now: NOW };
  const { clock, db, differences, shop, simulator, ...ground } = await openShop(made);
  const settings = defaultsOf();
  const { requests } = simulator;
  const sweep = async (kind: 'sync' | 'backfill') => {
    clock.pass({ minutes: 1 });
    await ground.sweep({ kind, isScheduled: true }, settings, { through: (api) => api });
  };
  await sweep('backfill');
  // The first one after a load counts by all facets at once.
  await sweep('sync');
  const perHour: number[] = [];
  for (let hour = 0; hour < REQUESTS.hours; hour++) {
    requests.reset();
    for (let minute = 0; minute < 60; minute++) await sweep('sync');
    perHour.push(requests.count());
  }
  const [report] = (await readShopReports(db, clock.now())).filter(({ shop }) => shop.shopKey === 'test');
  const { steady_list_requests_per_hour: lists = 0, counts } = report?.status ?? {};
  const told = lists + (counts?.requests_per_hour ?? 0);
  process.stdout.write(`requests an hour: ${perHour.join(', ')}; told: ${told}\n`);
  expect(Math.max(...perHour)).toBeLessThanOrEqual(REQUESTS.ofMost);
  expect(told).toBeLessThanOrEqual(REQUESTS.ofMost);
  expect(told, 'as it is').toBeGreaterThan(Math.max(...perHour) * 0.9);

  const orders = shop.orders();
  const [latest, ...old] = [orders.length - 1, 100, 400, 700].map((at) => orders[at]?.orderId ?? 0);
  const toggle = (orderId = 0) =>
    shop.editOrder(orderId, { status: shop.order(orderId)?.status === 'F' ? 'K' : 'F' });
  toggle(latest);
  await sweep('sync');
  expect(await differences(), 'today').toEqual([]);
  for (const orderId of IS_LONG ? old : old.slice(0, 1)) {
    toggle(orderId);
    for (let minute = 0; minute < 10; minute++) await sweep('sync');
    expect(await differences()).toEqual([]);
  }
  shop.deleteOrder(old[0] ?? 0);
  for (let minute = 0; minute < 10; minute++) await sweep('sync');
  expect(await differences()).toEqual([]);
});
