import { html } from 'hono/html';

import { utcText } from '../../model/amount-text.ts';
import type { Html } from './text.ts';

/** What every page is given. */
export type PageContext = {
  readonly now: Temporal.Instant;
  /** Of this program. */
  readonly version: string;
};

type Page = {
  readonly title: string;
  /** The relative path to the root, so that a proxy may serve the pages below any path. */
  readonly root: string;
  readonly main: Html;
};

/** A whole page. It is complete without scripts: the only one keeps it up to date. */
export function layout({ now, version }: PageContext, page: Page): Html {
  const { title, root, main } = page;
  const file = (name: string) => `${root}/assets/${name}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${file('icon.svg')}" />
        <link rel="stylesheet" href="${file('style.css')}" />
        <script type="module" src="${file('refresh.js')}"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <a class="brand" href="${root}/"><span aria-hidden="true">⇄</span> order-sync</a>
          <p id="as-of" class="as-of">As of ${utcText(now)}</p>
        </header>
        <p id="trouble" class="trouble" role="alert" hidden></p>
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
