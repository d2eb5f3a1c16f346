import { html, raw } from 'hono/html';

import { utcText } from '../../sync/run/throttle-state.ts';
import type { ShopStatusJson } from './status-json.ts';
import { SHOP_COLUMNS, shopRows } from './shop-rows.ts';
import { STATUS_STYLE } from './style.ts';

/**
 * A page for people with the contents of `/status.json`, which reloads itself. No scripts, no other requests; all text
 * from the warehouse is escaped.
 *
 * @param version of this program
 */
export function statusPage(
  shops: readonly ShopStatusJson[],
  now: Temporal.Instant,
  version: string,
): ReturnType<typeof html> {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="refresh" content="10" />
        <title>order-sync</title>
        <style>
          ${raw(STATUS_STYLE)}
        </style>
      </head>
      <body>
        <header>
          <h1>order-sync</h1>
          <p>As of ${utcText(now)}. All times are UTC; days are those of the shop.</p>
        </header>
        ${shops.length === 0 ? html`<p>No shop has been swept yet.</p>` : shopTable(shops, now)}
        <footer>
          <p>
            Version ${version}. As data: <a href="/status.json">/status.json</a>,
            <a href="/metrics">/metrics</a>
          </p>
        </footer>
      </body>
    </html>`;
}

function shopTable(shops: readonly ShopStatusJson[], now: Temporal.Instant): ReturnType<typeof html> {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Shops">
    <table>
      <thead>
        <tr>
          ${SHOP_COLUMNS.map(([heading, kind]) => html`<th scope="col" class="${kind}">${heading}</th>`)}
        </tr>
      </thead>
      ${shops.map((shop) => shopRows(shop, now))}
    </table>
  </div>`;
}
