/** A page that is open while the shops cannot be read, in a real browser. */
import { expect, test } from 'vitest';

import { startOpsServer } from '../../../src/worker/ops-server.ts';
import { hasBrowser, openBrowser } from '../../support/browser.ts';
import { needs } from '../../support/needs.ts';
import { patienceMs } from '../../support/patience.ts';
import { REFUSED, WELL } from '../ops-sources.ts';
import { shopJson } from '../status-json.ts';
import { detailsOf } from './shop-details.ts';

test(
  'the page of a shop shows a trouble until it is over, although the shop has not changed since',
  needs(hasBrowser, 'Chromium is not installed'),
  async () => {
    let isDown = false;
    const unlessDown = async <Value>(value: Value) => (isDown ? Promise.reject(REFUSED) : value);
    const status = async () => unlessDown([shopJson()]);
    const shop = async (key: string) => unlessDown(detailsOf(key, undefined));
    await using server = await startOpsServer({ port: 0, freshMs: 1 }, { ...WELL, status, shop });
    await using browser = await openBrowser();
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs());
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => (asked += request.url().endsWith('/shops/north') ? 1 : 0));
    await page.goto(`http://127.0.0.1:${server.port}/shops/north`);
    await page.getByText('Live', { exact: true }).waitFor();
    const trouble = page.locator('#trouble');
    isDown = true;
    await trouble.waitFor();
    expect(await trouble.textContent()).toContain('nothing is listening there');
    // Whatever was to be fetched anyway is, before the trouble is over; and then the page waits no longer than it has to.
    for (let times = 0; times < 2; times++) {
      await page.clock.runFor(2000);
      await page.evaluate('fetch(location.pathname).then((answer) => answer.text())');
    }
    expect(await trouble.isVisible()).toBe(true);
    expect(asked, 'by the browser once, and twice by this test').toBe(3);
    isDown = false;
    await trouble.waitFor({ state: 'hidden' });
    expect(await trouble.textContent()).toBe('');
  },
);
