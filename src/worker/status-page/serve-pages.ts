import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { getMimeType } from 'hono/utils/mime';

import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { VERSION } from '../../version.ts';
import { FILE_CACHE, pageHeaders } from './ops-access.ts';
import type { PageContext } from './layout.ts';
import { overviewPage } from './overview.ts';
import type { RequestCount } from './shop-activity.ts';
import { shopPage } from './shop-page.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { ASSET_FILES } from './asset-files.ts';
import type { ShopDataJson } from './shop-data-json.ts';

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
  app.get('/', compress(), pageHeaders, async (context) => {
    const shops = await status();
    const [only, ...others] = shops;
    // Relative, since a proxy may serve the pages below a path of its own.
    if (only !== undefined && others.length === 0) return context.redirect(`./shops/${only.shop}`);
    return context.html(overviewPage(shops, context.req.query('q') ?? '', pageContext()));
  });
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
    const text = Object.hasOwn(ASSET_FILES, name) ? ASSET_FILES[name] : undefined;
    if (text === undefined) return context.notFound();
    // While workers are updated, one may be asked for a file of another's page.
    if (hash === ASSETS_HASH) context.header('Cache-Control', FILE_CACHE);
    return context.body(text, 200, { 'content-type': getMimeType(name) ?? 'text/plain' });
  });
  return app;
}

/** A part of the files' addresses that changes with any of them, so that browsers may keep them for ever. */
const ASSETS_HASH = createHash('sha256').update(JSON.stringify(ASSET_FILES)).digest('hex').slice(0, 12);

/** What the charts, and machines, are given of a shop. */
function shopData({ report, asOf, calendar, daily }: ShopDetails): ShopDataJson {
  return {
    version: 1,
    shop: report.shop.shopKey,
    as_of: asOf.toString({ smallestUnit: 'second' }),
    first_day: calendar?.firstDay.toString() ?? null,
    states: calendar?.states ?? [],
    orders: daily.orders,
    sales: daily.sales,
    requests_by_hour: report.requestsByHour,
  };
}
