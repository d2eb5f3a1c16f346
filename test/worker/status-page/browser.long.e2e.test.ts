/** The pages in a real browser, of a real worker that loads real shops: one of each for the whole file. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { hasBrowser, openBrowser, watchFaults } from '../../support/browser.ts';
import type { Running } from '../../support/command-line.ts';
import { freshDatabase } from '../../support/database.ts';
import { openLab, writeShopsFile } from '../../support/fleet-lab.ts';
import { until } from '../../support/until.ts';
import { patienceMs, testTimeoutMs } from '../../support/patience.ts';

const stack = new AsyncDisposableStack();
const scene = {
  url: '',
  browser: undefined as Browser | undefined,
  worker: undefined as Running | undefined,
  /** The load of the big shop goes on. */
  release: (): void => undefined,
};
const PASSWORD = 'secret';
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** In the dark only the colours are others. */
const LOOKS = [
  ['light', 1280, '{}'],
  ['dark', 420, "{ runOnly: ['color-contrast'] }"],
] as const;
const LONG_KEY = `long-${'x'.repeat(58)}`;
const PATHS = ['/shops/big', '/', '/shops/failing', `/shops/${LONG_KEY}`];
beforeAll(async () => {
  if (!hasBrowser) return;
  const lab = stack.use(await openLab(await freshDatabase(), 0, {}));
  const shop = async (key: string, seed: number, orders: number, days: number) => ({
    key,
    simulator: stack.use(await startSimulator({ orders, days, seed })),
  });
  const shops = [
    await shop('big', 1, 250, 250),
    await shop('failing', 2, 20, 5),
    await shop(LONG_KEY, 3, 20, 5),
  ];
  shops[1]?.simulator.faults.failNext(Infinity, 'http-401');
  const released = Promise.withResolvers<void>();
  scene.release = released.resolve;
  shops[0]?.simulator.requests.onRequest(async ({ route }) => {
    if (route === 'order') await released.promise;
  });
  await writeShopsFile(lab.shopsFile, shops, { maxRps: 1_000 });
  const worker = lab.startWorker({ OPS_PASSWORD: PASSWORD, SYNC_CRON: '*/2 * * * * *' });
  scene.url = await worker.url;
  scene.worker = worker;
  await until('the load has begun', async () =>
    (await getText('/shops/big')).includes('data-word="catching-up"'),
  );
  scene.browser = await openBrowser();
  stack.defer(() => scene.browser?.close());
});

const getText = async (path: string) => {
  const authorization = `Basic ${btoa(`any:${PASSWORD}`)}`;
  return (await fetch(`${scene.url}${path}`, { headers: { authorization } })).text();
};

afterAll(() => stack.disposeAsync());

/** A page of its own profile; whatever it may not do is a failure at its end. */
async function onPage(
  path: string,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await scene.browser?.newContext({
    httpCredentials: { username: 'any', password: PASSWORD },
    ...options,
  });
  if (context === undefined) throw new Error('there is no browser');
  try {
    const page = await context.newPage();
    const faults = watchFaults(page);
    await page.goto(`${scene.url}${path}`);
    await work(page);
    expect(faults).toEqual([]);
  } finally {
    await context.close();
  }
}

// A test draws many pages, each of them by several processes.
vi.setConfig({ testTimeout: 3 * testTimeoutMs() });

const textOf = async (page: Page, selector: string) => (await page.textContent(selector))?.trim() ?? '';
const browserTest = (name: string, body: () => Promise<void>, before = () => scene.release()) =>
  // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- its callers give title and assertions
  test(name, async (context) => {
    if (!hasBrowser) context.skip('Chromium is not installed');
    before();
    await body();
  });

/** Leaves the load as it is held. */
const holdOn = () => undefined;

browserTest(
  'a shop that is being loaded fills its calendar and its charts by itself',
  async () => {
    await onPage('/shops/big', {}, async (page) => {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.evaluate('isSamePage = true');
      const verified = async () =>
        Number(/ ([\d,]+) days? verified/.exec(await textOf(page, '#calendar'))?.[1]) || 0;
      expect(await verified()).toBe(0);
      for (const part of ['#calendar', '#charts-empty', '#months', '#rejected + p'])
        expect(await textOf(page, part), part).toMatch(/^Not yet: /);
      expect(await page.locator('.chart, #ranges:visible').count()).toBe(0);
      scene.release();
      await page.waitForSelector('#shop-head .state.complete', { timeout: patienceMs() });
      expect(await verified()).toBeGreaterThanOrEqual(250);
      await page.locator('#announcer', { hasText: 'big: complete' }).waitFor({ state: 'attached' });
      expect(await page.evaluate('isSamePage')).toBe(true);
      await page.click('#ranges button:has-text("All")');
      await page.waitForSelector('.chart[aria-label^="Orders per day"][aria-label*=": 250 in 25"] canvas');
    });
  },
  holdOn,
);

browserTest('all shops are listed, failing first, and the filter narrows them while one types', async () => {
  await onPage('/', {}, async (page) => {
    await page.waitForSelector('.state.failing');
    const listed = async () =>
      page.locator('tbody[data-shop]:visible').evaluateAll((all) => all.map((each) => each.dataset['shop']));
    expect((await listed())[0]).toBe('failing');
    expect(await textOf(page, 'tbody[data-shop=failing] .note')).toMatch(
      /check login and apiKey .shop failing in shops.yaml.*order-sync check --shop failing/,
    );
    await page.fill('#q', 'LONG');
    expect(await listed()).toEqual([LONG_KEY]);
    expect(page.url()).toContain('?q=LONG');
    await page.reload();
    expect(await listed()).toEqual([LONG_KEY]);
    await page.fill('#q', 'i');
    await page.locator('tbody[data-shop=failing]:visible').waitFor();
    await page.fill('#q', 'nothing of the kind');
    await page.waitForSelector('#no-match:visible');
  });
});

browserTest('a failing shop says what to do about it', async () => {
  await onPage('/shops/failing', {}, async (page) => {
    await page.waitForSelector('.state.failing');
    expect(await textOf(page, '#todo')).toMatch(/HTTP 401.*check login.*order-sync check --shop failing/s);
    expect(await textOf(page, '#activity')).toContain('Refused');
  });
});

browserTest('the calendar is read by pointer and by keyboard, which reaches everything', async () => {
  await onPage('/shops/big', {}, async (page) => {
    await page.getByText('Point at a day').waitFor();
    const reached: string[] = [];
    for (let step = 0; step < 30; step++) {
      await page.keyboard.press('Tab');
      const name = String(
        await page.evaluate(
          '(({ activeElement: at }) => at.id || at.ariaLabel || at.textContent.trim())(document)',
        ),
      );
      reached.push(name);
      if (name !== 'calendar-days') continue;
      await page.keyboard.press('ArrowLeft');
      const newest = await textOf(page, '#day-text');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowUp');
      const earlier = await textOf(page, '#day-text');
      expect(newest).toMatch(/^\w+,? \d+ \w+ 20\d\d: (verified|due).* orders?/);
      expect(earlier).not.toBe(newest);
      expect(await page.locator('.cursor').count()).toBe(1);
    }
    expect(reached).toEqual(
      expect.arrayContaining([
        'Skip to content',
        'calendar-days',
        '90 days',
        'All',
        'As a table, by month',
        'metrics',
      ]),
    );
    await page
      .locator('#calendar-days svg')
      .last()
      .hover({ position: { x: 150, y: 60 } });
    expect(await textOf(page, '#day-text')).toContain('verified');
    const pointed = await page.locator('#calendar-days svg').last().boundingBox();
    const marked = await page.locator('.cursor').boundingBox();
    const { y = 0, height = 0 } = marked ?? {};
    expect(Math.abs(y + height / 2 - 60 - (pointed?.y ?? 0)), 'the day under the pointer').toBeLessThan(
      height,
    );
  });
});

/** How a chart tells the days that it shows at first. */
async function lastNinetyDays(): Promise<string> {
  const { first_day: first, states } = JSON.parse(await getText('/shops/big/data.json'));
  const since = Temporal.PlainDate.from(first).add({ days: states.length - 90 });
  return `per day since ${since.toString()}: `;
}

browserTest('axe finds nothing, light and dark, and nothing is wider than the screen', async () => {
  // Until then, the first of the days moves.
  await until('the load is over', async () => {
    const isLoading = (await getText('/shops/big')).includes('data-word="catching-up"');
    return isLoading ? 'it is catching up' : true;
  });
  for (const path of PATHS) {
    await onPage(path, {}, async (page) => {
      if (path === '/shops/big') {
        await page.waitForSelector('.chart canvas');
        expect(await page.getAttribute('[data-chart="orders"]', 'aria-label')).toContain(
          await lastNinetyDays(),
        );
      }
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
      await page.evaluate(AXE);
      for (const [colorScheme, width, options] of LOOKS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const violations = await page.evaluate(
          `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
        );
        expect(violations, `${path} ${colorScheme}`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(width);
      }
    });
  }
});

browserTest('without scripts the pages are complete but for the charts', async () => {
  await onPage('/shops/big', { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('#calendar-days svg').count()).toBeGreaterThan(1);
    expect(await textOf(page, '#charts-title')).toBe('Orders and sales per day');
    expect(await textOf(page, 'noscript')).toContain('Charts need JavaScript');
    expect(await page.locator('#by-month tbody tr').count()).toBeGreaterThanOrEqual(9);
  });
  await onPage('/?q=long', { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('tbody[data-shop]').count()).toBe(1);
    await page.fill('#q', 'failing');
    await page.click('button[type=submit]');
    await page.locator('tbody[data-shop=failing]').waitFor();
    expect(await page.locator('tbody[data-shop]').count()).toBe(1);
  });
});

browserTest('pages that are open do not keep a worker from stopping, and say that it is gone', async () => {
  const page = await scene.browser?.newPage({ httpCredentials: { username: 'any', password: PASSWORD } });
  await page?.goto(scene.url);
  await page?.getByText('Live', { exact: true }).waitFor();
  scene.worker?.process.kill('SIGTERM');
  await page?.getByText('Not connected, trying again').waitFor();
  expect((await scene.worker?.outcome)?.code).toBe(0);
  await page?.close();
});
