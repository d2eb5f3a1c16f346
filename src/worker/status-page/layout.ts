import { html } from 'hono/html';

import { utcText } from '../../amount-text.ts';
import type { Html } from './text.ts';

/** What every page is given. */
export type PageContext = {
  readonly now: Temporal.Instant;
  /** Of this program. */
  readonly version: string;
  /** Where the pages' files are, below the root, without a slash at either end. */
  readonly assets: string;
};

type Page = {
  readonly title: string;
  /** The relative path to the root, so that a proxy may serve the pages below any path. */
  readonly root: '.' | '..';
  /** The shop whose changes matter; all, if undefined. */
  readonly shop?: string;
  readonly hasCharts?: boolean;
  readonly main: Html;
};

/**
 * A whole page. It is complete without scripts, which only keep it up to date and draw charts; what they may replace is
 * marked with `data-live`.
 */
export function layout({ now, version, assets }: PageContext, page: Page): Html {
  const { title, root, shop, hasCharts = false, main } = page;
  const styles = ['base.css', ...(hasCharts ? ['uplot.css', 'shop.css'] : ['overview.css'])];
  const file = (name: string) => `${root}/${assets}/${name}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${file('icon.svg')}" />
        ${styles.map((name) => html`<link rel="stylesheet" href="${file(name)}" />`)}
        ${hasCharts ? html`<script defer src="${file('uplot.js')}"></script>` : ''}
        <script type="module" src="${file('main.js')}"></script>
      </head>
      <body data-root="${root}" data-shop="${shop ?? ''}">
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <a class="brand" href="${root}/"><span aria-hidden="true">⇄</span> order-sync</a>
          <p class="as-of">
            <span id="connection" class="connection" hidden></span>
            <span id="as-of" data-live>As of ${utcText(now)}</span>
          </p>
        </header>
        <p id="trouble" class="trouble" role="alert" hidden></p>
        <p id="announcer" class="unseen" role="status"></p>
        <main id="main" tabindex="-1">${main}</main>
        <footer>
          <p>
            All times are UTC; days are those of the shop. Version ${version}. As data:
            <a href="${root}/status.json">status.json</a>, <a href="${root}/metrics">metrics</a>
          </p>
        </footer>
      </body>
    </html>`;
}
