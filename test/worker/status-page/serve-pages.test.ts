import { Hono } from 'hono';
import { expect, test } from 'vitest';

import { VERSION } from '../../../src/model/program.ts';
import { requirePassword } from '../../../src/worker/status-page/ops-access.ts';
import { servePages } from '../../../src/worker/status-page/serve-pages.ts';
import { shopJson } from '../status-json.ts';
import { CALENDAR, detailsOf } from './shop-details.ts';

const pagesOf = (keys: readonly string[]) =>
  servePages({
    status: async () => keys.map((shop) => shopJson({ shop })),
    shop: async (key) =>
      keys.includes(key) ? detailsOf({ calendar: CALENDAR, ordersByDay: [0, 3] }) : undefined,
  });

test('an unknown shop gets a page that says so, with a link back', async () => {
  const page = await pagesOf(['north', 'new']).request('/shops/other');
  expect([page.status, await page.text()]).toEqual([
    404,
    expect.stringMatching(/The warehouse has no shop other[^]*<a href="\.\.\/">See all shops<\/a>/),
  ]);
});

test.each([
  ['/nope', './'],
  ['/shops/', '../'],
  ['/shops/north/data.json', '../../'],
])('an unknown address gets one too: %s', async (path, back) => {
  const page = await pagesOf(['north']).request(path);
  expect([page.status, await page.text()]).toEqual([
    404,
    expect.stringContaining(`Nothing is at this address. <a href="${back}">See all shops</a>`),
  ]);
});

test('the first page is the list of shops, or the only shop', async () => {
  const several = await (await pagesOf(['north', 'south']).request('/')).text();
  expect(several.match(/href=".\/shops\//g)).toHaveLength(2);
  expect(several).toContain(`Version ${VERSION}`);
  const only = await pagesOf(['north']).request('/');
  expect([only.status, only.headers.get('location')]).toEqual([302, './shops/north']);
  const page = await (await pagesOf(['north']).request('/shops/north')).text();
  expect(page).toContain('<title>2026-03-09: 0 orders</title>');
});

test('files are served as what they are', async () => {
  const types = ['refresh.js', 'style.css', 'icon.svg'].map(async (name) =>
    (await pagesOf([]).request(`/assets/${name}`)).headers.get('content-type'),
  );
  expect(await Promise.all(types)).toEqual([
    expect.stringContaining('text/javascript'),
    expect.stringContaining('text/css'),
    expect.stringContaining('image/svg+xml'),
  ]);
});

test('a request without a password gets an answer that names the setting', async () => {
  const app = new Hono().get('/', requirePassword('secret'), (context) => context.text('done\n'));
  expect(await (await app.request('/')).text()).toBe(
    'enter the password of OPS_PASSWORD, with any user name\n',
  );
});
