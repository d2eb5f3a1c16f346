import { expect, test } from 'vitest';

import { overviewPage } from '../../../src/worker/status-page/overview.ts';
import type { ShopStatusJson } from '../../../src/sync/report/shop-report.ts';
import { run, shopJson, throttle } from '../status-json.ts';
import { NOW } from './shop-details.ts';

const CONTEXT = { now: NOW, version: '1.2.3' };

/** The page without the white space between and around its texts. */
const pageOf = async (shops: readonly ShopStatusJson[]) =>
  String(await overviewPage(shops, CONTEXT)).replaceAll(/\s*\n\s*/g, '');
const shopsOf = (page: string) => [...page.matchAll(/href=".\/shops\/([^"]*)"/g)].map(([, shop]) => shop);

test('a healthy shop takes one row, with its figures', async () => {
  const page = await pageOf([shopJson()]);
  expect(page).toContain('<th scope="row" class="words"><a href="./shops/north">north</a></th>');
  expect(page).toContain('<span class="state complete">complete</span>');
  expect(page).toContain('title="2026-03-10 11:51:06 UTC">8 min ago</time>');
  expect(page).toContain('<td class="number">12,345</td>');
  expect(page).toContain('As of 2026-03-10 12:00:00 UTC');
  expect(page).toContain('Version 1.2.3');
  expect(page).not.toMatch(/class="note"|warning/);
  expect(page).toContain('<title>order-sync</title>');
});

test('failing shops come first, complete ones last, each by key', async () => {
  const failed = run({ status: 'failed', error: 'the shop refused the login (401): check SHOP_LOGIN' });
  const shops = [
    shopJson({ shop: 'a' }),
    shopJson({ shop: 'b', days_due: 3, days_unverified: 3 }),
    shopJson({ shop: 'c', runs: [failed] }),
    shopJson({ shop: 'd', days_due: null, runs: [] }),
    shopJson({ shop: 'e', runs: [failed] }),
  ];
  const page = await pageOf(shops);
  expect(shopsOf(page)).toEqual(['c', 'e', 'd', 'b', 'a']);
  expect(page).toContain('<title>(2) order-sync</title>');
  expect(page).toContain('>2 failing</span>');
  expect(page).toContain('The last sync failed: the shop refused the login (401): check SHOP_LOGIN.');
  expect(page).toContain('<code>order-sync check --shop c</code> tests');
});

test('text from the warehouse cannot become markup', async () => {
  const evil = `<script>alert("x")</script>'&`;
  const page = await pageOf([shopJson({ shop: evil, runs: [run({ status: 'failed', error: evil })] })]);
  expect(page.replaceAll(/<script [^>]*src=/g, '')).not.toContain('<script');
  expect(page).toContain('&lt;script&gt;');
});

test('without a shop the page says what to do', async () => {
  const page = await pageOf([]);
  expect(page).toContain('No shop has been swept yet.');
  expect(page).not.toMatch(/<table|class="row"/);
  expect(page).not.toContain('<form');
});

test('warnings are counted beside the state, and said on the page of the shop; those that need somebody come first', async () => {
  const slow = { throttle: throttle({ limited_by: 'failures', concurrency: 1, max_concurrency: 4 }) };
  const shops = [
    shopJson({ shop: 'a', clock_warning: 'the newest order is 1 h ahead' }),
    shopJson({ shop: 'b', ...slow }),
    shopJson({ shop: 'c', ...slow, open_rejections: 2 }),
  ];
  const page = await pageOf(shops);
  expect(page).toContain('<li>2 with warnings</li>');
  expect(page.match(/\d warnings?(?=<)/g)).toEqual(['1 warning', '2 warnings']);
  expect(page).not.toMatch(/Some requests failed|could not be understood|1 h ahead/);
  expect(shopsOf(page)).toEqual(['b', 'c', 'a']);
});

test('of a shop that was never read, the list shows no zero that nobody counted; one that was and has no order has none', async () => {
  const unread = { is_loaded: false, days_verified: 0, orders: 0, estimate: null };
  const page = await pageOf([shopJson(unread)]);
  expect(page).toContain('<td class="number">not yet</td>');
  expect(await pageOf([shopJson({ ...unread, is_loaded: true })])).toContain('<td class="number">0</td>');
});
