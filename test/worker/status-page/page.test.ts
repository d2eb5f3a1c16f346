import { expect, test } from 'vitest';

import type { ShopStatusJson } from '../../../src/worker/status-page/status-json.ts';
import { statusPage } from '../../../src/worker/status-page/page.ts';
import { throttle, run, shopJson } from '../status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

/** The page without the white space between and around its texts. */
const pageOf = async (...shops: readonly ShopStatusJson[]) =>
  String(await statusPage(shops, NOW, '1.2.3')).replaceAll(/\s*\n\s*/g, '');

test('a healthy shop takes one row, with its figures and times in UTC to the second', async () => {
  const page = await pageOf(shopJson());
  expect(page).toContain('<th scope="row">north</th><td class="state complete">complete</td>');
  expect(page).toContain('<td class="moment">2026-03-10 11:51:06</td>');
  expect(page).toContain('<td class="number">12,345</td>');
  expect(page).toContain('<td class="moment">sync ok, 2026-03-10 11:51:07</td>');
  expect(page).toContain('As of 2026-03-10 12:00:00 UTC');
  expect(page).toContain('Version 1.2.3');
  expect(page).not.toContain('class="note"');
});

test('a shop that is down says why, and shows its throttle state', async () => {
  const page = await pageOf(
    shopJson({
      days_due: null,
      is_complete: false,
      complete_through: null,
      newest_verified_at: null,
      is_replay_due: true,
      throttle: throttle({ circuit: 'open', concurrency: 1 }),
      runs: [
        run({ status: 'running', finished_at: null }),
        run({ status: 'failed', error: 'the shop refused the login (401): check SHOP_LOGIN' }),
      ],
    }),
  );
  expect(page).toContain('<td class="state failing">failing</td>');
  expect(page).toContain('sync running, since 2026-03-10 11:50:00');
  expect(page).toContain('>Last sync failed: the shop refused the login (401): check SHOP_LOGIN</td>');
  expect(page).toContain('circuit open, 1 of 4 requests at once');
  expect(page).toContain('order-sync replay');
});

test('problems of the latest run are shown, those of older ones are not', async () => {
  const partial = run({ status: 'partial', error: '3 days could not be proven' });
  expect(await pageOf(shopJson({ runs: [partial] }))).toContain(
    'Last sync partial: 3 days could not be proven',
  );
  expect(await pageOf(shopJson({ runs: [run(), partial] }))).not.toContain('could not be proven');
});

test('text from the warehouse cannot become markup', async () => {
  const evil = `<script>alert("x")</script>'&`;
  const page = await pageOf(shopJson({ shop: evil, runs: [run({ status: 'failed', error: evil })] }));
  expect(page).not.toContain('<script');
  expect(page.split('&lt;script&gt;')).toHaveLength(3);
});

test('the page supports phones and dark mode, and says when there is nothing to show', async () => {
  const page = await pageOf();
  expect(page).toContain('name="viewport"');
  expect(page).toContain('color-scheme: light dark');
  expect(page).toContain('No shop has been swept yet.');
  expect(page).not.toContain('<table');
});
