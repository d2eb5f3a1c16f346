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
export function layout({ now, version }: PageContext, { title, root, main }: Page): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="${root}/assets/icon.svg" />
        <link rel="stylesheet" href="${root}/assets/style.css" />
        <script type="module" src="${root}/assets/refresh.js"></script>
      </head>
      <body>
        <header>
          <a href="${root}/">⇄ order-sync</a>
          <p id="as-of" class="quiet">As of ${utcText(now)}</p>
        </header>
        <p id="trouble" class="card bad" role="alert" hidden></p>
        <main>${main}</main>
        <footer class="quiet">
          All times are UTC; days are those of the shop. Version ${version}. As data:
          <a href="${root}/status.json">status.json</a>, <a href="${root}/metrics">metrics</a>
        </footer>
      </body>
    </html>`;
}
