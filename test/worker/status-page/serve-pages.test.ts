import { Hono } from 'hono';
import { expect, test } from 'vitest';

import { VERSION } from '../../../src/version.ts';
import { refuseOtherSites, requirePassword } from '../../../src/worker/status-page/ops-access.ts';
import { servePages } from '../../../src/worker/status-page/serve-pages.ts';
import { shopJson } from '../status-json.ts';
import { DAILY, detailsOf } from './shop-details.ts';

const CALENDAR = { firstDay: Temporal.PlainDate.from('2026-03-09'), states: ['empty', 'due'] } as const;

const pagesOf = (keys: readonly string[]) =>
  servePages({
    status: async () => keys.map((shop) => shopJson({ shop })),
    shop: async (key) =>
      keys.includes(key) ? detailsOf(key, key === 'new' ? undefined : CALENDAR) : undefined,
    countRequests: async () => [{ route: 'orders', outcome: 'ok', count: 7 }],
  });

test('the data of a shop is served as documented, and of a shop that is not there it is said', async () => {
  const app = pagesOf(['north', 'new']);
  const served = await app.request('/shops/north/data.json');
  expect([served.status, await served.json()]).toEqual([
    200,
    {
      version: 1,
      shop: 'north',
      as_of: '2026-03-10T12:00:00Z',
      first_day: '2026-03-09',
      states: ['empty', 'due'],
      ...DAILY,
      requests_by_hour: [1, 2],
    },
  ]);
  expect(await (await app.request('/shops/new/data.json')).json()).toMatchObject({
    first_day: null,
    states: [],
  });
  const missing = await app.request('/shops/other/data.json');
  expect([missing.status, await missing.json()]).toEqual([
    404,
    { error: 'there is no such shop, or it was retired' },
  ]);
  const page = await app.request('/shops/other');
  expect([page.status, await page.text()]).toEqual([404, 'there is no such shop, or it was retired\n']);
});

test('the first page is the list of shops, filtered, or the only shop', async () => {
  const several = await (await pagesOf(['north', 'south']).request('/?q=sou')).text();
  expect(several.match(/<tbody data-shop="[^"]*"/g)).toEqual(['<tbody data-shop="south"']);
  expect(several).toContain(`Version ${VERSION}`);
  const only = await pagesOf(['north']).request('/');
  expect([only.status, only.headers.get('location')]).toEqual([302, './shops/north']);
  const page = await (await pagesOf(['north']).request('/shops/north')).text();
  expect(page).toMatch(/orders<\/th>\s*<td class="number">7</);
});

test('every page says what may run in it', async () => {
  for (const path of ['/', '/shops/north', '/shops/other']) {
    const { headers } = await pagesOf(['north', 'south']).request(path);
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
  }
});

test('files are served as what they are', async () => {
  const types = ['main.js', 'base.css', 'icon.svg'].map(async (name) =>
    (await pagesOf([]).request(`/assets/0/${name}`)).headers.get('content-type'),
  );
  expect(await Promise.all(types)).toEqual([
    expect.stringContaining('text/javascript'),
    expect.stringContaining('text/css'),
    expect.stringContaining('image/svg+xml'),
  ]);
});

test('only programs and the own pages may ask for what changes something', async () => {
  const app = new Hono().post('/', refuseOtherSites, (context) => context.text('done\n'));
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await app.request('/', { method: 'POST', headers: { host: 'own.example:80', ...headers } })).status;
  expect(await ask({})).toBe(200);
  expect(await ask({ origin: 'http://own.example:8080' })).toBe(403);
  expect(await ask({ origin: 'http://other.example' })).toBe(403);
  expect(await ask({ origin: 'null' })).toBe(403);
  expect(await ask({ host: 'own.example:8080', origin: 'http://own.example:8080' })).toBe(200);
  for (const [site, status] of Object.entries({
    'same-origin': 200,
    none: 200,
    'same-site': 403,
    'cross-site': 403,
  })) {
    expect(await ask({ 'sec-fetch-site': site }), site).toBe(status);
  }
});

test('who has no password is told which one is needed', async () => {
  const app = new Hono().get('/', requirePassword('secret'), (context) => context.text('done\n'));
  expect(await (await app.request('/')).text()).toBe(
    'a password is needed: that of OPS_PASSWORD, with any user name\n',
  );
});
