/** Pages in a real browser, of a server that is told what to show. Those of a real worker: browser.long.e2e.test.ts. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startOpsServer } from '../../../src/worker/ops-server.ts';
import { hasBrowser, openBrowser, watchFaults } from '../../support/browser.ts';
import { needs } from '../../support/needs.ts';
import { patienceMs } from '../../support/patience.ts';
import { REFUSED, WELL } from '../ops-sources.ts';
import { shopJson } from '../status-json.ts';
import { detailsOf } from './shop-details.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

let browser: Browser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

test(
  'the page of a shop draws its charts, axe finds nothing, light and dark, and nothing is wider than the screen',
  needs(hasBrowser, 'Chromium is not installed'),
  async () => {
    const status = async () => [shopJson({ is_complete: false, day_error: 'HTTP 401' })];
    const calendar = {
      firstDay: Temporal.PlainDate.from('2026-03-09'),
      states: ['verified', 'due'],
    } as const;
    const shop = async (key: string) => detailsOf(key, calendar);
    await using server = await startOpsServer({ port: 0 }, { ...WELL, status, shop });
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs());
    const faults = watchFaults(page);
    await page.goto(`http://127.0.0.1:${server.port}/shops/north`);
    await page.waitForSelector('.chart canvas');
    expect(await page.getAttribute('[data-chart="orders"]', 'aria-label')).toContain(
      'per day since 2026-03-09: ',
    );
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    await page.evaluate(AXE);
    // In the dark only the colours are others.
    for (const [colorScheme, width, options] of [
      ['light', 1280, '{}'],
      ['dark', 420, "{ runOnly: ['color-contrast'] }"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const violations = await page.evaluate(
        `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
      );
      expect(violations, colorScheme).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    expect(faults).toEqual([]);
    await page.close();
  },
);

test(
  'the page of a shop shows a trouble until it is over, although the shop has not changed since',
  needs(hasBrowser, 'Chromium is not installed'),
  async () => {
    let isDown = false;
    const unlessDown = async <Value>(value: Value) => (isDown ? Promise.reject(REFUSED) : value);
    const status = async () => unlessDown([shopJson()]);
    const shop = async (key: string) => unlessDown(detailsOf(key, undefined));
    await using server = await startOpsServer({ port: 0, freshMs: 1 }, { ...WELL, status, shop });
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
