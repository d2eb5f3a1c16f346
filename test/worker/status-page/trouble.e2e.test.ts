/** Pages in a real browser, of a server that is told what to show. */
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
import { CALENDAR, detailsOf } from './shop-details.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

let browser: Browser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const UNHINTED = `[...document.querySelectorAll('main *')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(each).overflowX))
  .filter((each) => !getComputedStyle(each).backgroundImage.includes('gradient'))
  .map((each) => each.outerHTML.slice(0, 80))`;

test(
  'axe finds nothing on the page of a shop, light and dark, and nothing is wider than the screen',
  needs(hasBrowser, 'Chromium is not installed'),
  async () => {
    const status = async () => [shopJson({ is_complete: false, day_error: 'HTTP 401' })];
    const shop = async () => detailsOf({ calendar: CALENDAR, ordersByDay: [0, 3] });
    await using server = await startOpsServer({ port: 0 }, { ...WELL, status, shop });
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs());
    const faults = watchFaults(page);
    await page.goto(`http://127.0.0.1:${server.port}/shops/north`);
    expect(await page.getAttribute('svg.daily', 'aria-label')).toContain(
      'Orders per day of the last 2 days: 3',
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
      // A table that goes on beyond its side shows that it does.
      expect(await page.evaluate(UNHINTED)).toEqual([]);
    }
    expect(faults).toEqual([]);
    await page.close();
  },
);

test(
  'an open page is fetched again every 15 s: it shows what changed, keeps what is open, and a trouble until it is over',
  needs(hasBrowser, 'Chromium is not installed'),
  async () => {
    let [isDown, isDeleted, orders] = [false, false, 12_345];
    const unlessDown = async <Value>(value: Value) => (isDown ? Promise.reject(REFUSED) : value);
    const failedDays = [{ day: '2026-03-09', error: 'the list changed' }];
    const shop = async (key: string) => {
      if (isDeleted) return undefined;
      return unlessDown(detailsOf({ calendar: CALENDAR, failedDays, status: { shop: key, orders } }));
    };
    await using server = await startOpsServer({ port: 0, freshMs: 1 }, { ...WELL, shop });
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs());
    await page.clock.install();
    await page.goto(`http://127.0.0.1:${server.port}/shops/north`);
    await page.getByText('12,345').waitFor();
    await page.locator('#failed-days summary').click();
    const again = async () => {
      const answer = page.waitForResponse(/shops\/north$/);
      await page.clock.runFor(15_000);
      await answer;
    };
    orders = 12_346;
    await again();
    await page.getByText('12,346').waitFor();
    expect(await page.getAttribute('#failed-days', 'open')).not.toBeNull();
    const trouble = page.locator('#trouble');
    isDown = true;
    await again();
    await trouble.waitFor();
    expect(await trouble.textContent()).toContain('nothing is listening there');
    isDown = false;
    await again();
    await trouble.waitFor({ state: 'hidden' });
    isDeleted = true;
    await again();
    await page.getByText('See all shops').waitFor();
    expect(await trouble.isVisible()).toBe(false);
    await page.close();
  },
);
