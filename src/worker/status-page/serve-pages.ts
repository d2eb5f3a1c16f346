import { Hono } from 'hono';
import { compress } from 'hono/compress';

import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { VERSION } from '../../version.ts';
import { FILE_CACHE, pageHeaders } from '../ops-access.ts';
import { ASSETS_HASH, findAsset } from './assets.ts';
import type { PageContext } from './layout.ts';
import { overviewPage } from './overview.ts';
import type { RequestCount } from './request-counts.ts';
import { shopData } from './shop-data.ts';
import { shopPage } from './shop-page.ts';
import type { ShopStatusJson } from '../../sync/report/shop-status-json.ts';

type PageReadings = {
  readonly status: () => Promise<readonly ShopStatusJson[]>;
  readonly shop: (shopKey: string) => Promise<ShopDetails | undefined>;
  readonly countRequests: (shopKey: string) => Promise<readonly RequestCount[]>;
};

/** A shop's key: nothing else is looked up. */
const KEY = ':key{[a-z0-9_-]{1,63}}';

/** The pages for people, their files, and the data of the charts. */
export function servePages({ status, shop, countRequests }: PageReadings): Hono {
  const app = new Hono();
  const pageContext = (): PageContext => ({
    now: Temporal.Now.instant(),
    version: VERSION,
    assets: `assets/${ASSETS_HASH}`,
  });
  app.get('/', compress(), pageHeaders, async (context) =>
    context.html(overviewPage(await status(), context.req.query('q') ?? '', pageContext())),
  );
  app.get(`/shops/${KEY}`, compress(), pageHeaders, async (context) => {
    const key = context.req.param('key');
    const details = await shop(key);
    if (details === undefined) return context.text('there is no such shop, or it was retired\n', 404);
    return context.html(shopPage(details, await countRequests(key), pageContext()));
  });
  app.get(`/shops/${KEY}/data.json`, compress(), async (context) => {
    const details = await shop(context.req.param('key'));
    if (details === undefined)
      return context.json({ error: 'there is no such shop, or it was retired' }, 404);
    return context.json(shopData(details));
  });
  app.get('/assets/:hash/:name', compress(), (context) => {
    const { hash, name } = context.req.param();
    const file = findAsset(name);
    if (file === undefined) return context.notFound();
    // While workers are updated, one may be asked for a file of another's page.
    if (hash === ASSETS_HASH) context.header('Cache-Control', FILE_CACHE);
    return context.body(file.text, 200, { 'content-type': file.type });
  });
  return app;
}
