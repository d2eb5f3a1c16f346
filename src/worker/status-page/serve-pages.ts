import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { html } from 'hono/html';
import { getMimeType } from 'hono/utils/mime';

import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { VERSION } from '../../model/program.ts';
import { layout, type PageContext } from './layout.ts';
import { overviewPage } from './overview.ts';
import { shopPage } from './shop-page.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { ASSET_FILES } from './asset-files.ts';

type PageReadings = {
  readonly status: () => Promise<readonly ShopStatusJson[]>;
  readonly shop: (shopKey: string) => Promise<ShopDetails | undefined>;
};

/** A shop's key: nothing else is looked up. */
const KEY = ':key{[a-z0-9_-]{1,63}}';

/** The pages for people, and their files. */
export function servePages({ status, shop }: PageReadings): Hono {
  const app = new Hono();
  const pageContext = (): PageContext => ({ now: Temporal.Now.instant(), version: VERSION });
  app.get('/', compress(), async (context) => {
    const shops = await status();
    const [only, ...others] = shops;
    // Relative, since a proxy may serve the pages below a path of its own.
    if (only !== undefined && others.length === 0) return context.redirect(`./shops/${only.shop}`);
    return context.html(overviewPage(shops, pageContext()));
  });
  app.get(`/shops/${KEY}`, compress(), async (context) => {
    const key = context.req.param('key');
    const details = await shop(key);
    if (details === undefined) {
      const what = `The warehouse has no shop ${key}, or it is being deleted.`;
      return context.html(missingPage('No such shop', what, '..', pageContext()), 404);
    }
    return context.html(shopPage(details, pageContext()));
  });
  app.get('/assets/:name', compress(), (context) => {
    const name = context.req.param('name');
    const text = Object.hasOwn(ASSET_FILES, name) ? ASSET_FILES[name] : undefined;
    if (text === undefined) return context.notFound();
    return context.body(text, 200, { 'content-type': getMimeType(name) ?? 'text/plain' });
  });
  app.get('*', (context) => {
    const root = context.req.path.split('/').slice(2).fill('..').join('/') || '.';
    return context.html(missingPage('No such page', 'Nothing is at this address.', root, pageContext()), 404);
  });
  return app;
}

/** What is not there, with the way back. */
function missingPage(heading: string, what: string, root: string, context: PageContext) {
  const main = html`<h1>${heading}</h1>
    <p>${what} <a href="${root}/">See all shops</a></p>`;
  return layout(context, { title: `${heading} · order-sync`, root, main });
}
