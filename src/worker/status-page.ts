import { html } from 'hono/html';

import type { ShopStatusJson } from './ops-server.ts';

const COLUMNS = [
  ['shop', 'Shop'],
  ['is_complete', 'Complete'],
  ['complete_through', 'Complete through'],
  ['newest_verified_at', 'Newest day verified'],
  ['orders', 'Orders'],
  ['orders_without_lines', 'Without lines'],
  ['days_due', 'Days due'],
  ['open_rejections', 'Open rejections'],
] as const;

/** A page for people that tells of each shop what `/status.json` tells, and renews itself. */
export function statusPage(shops: readonly ShopStatusJson[]): ReturnType<typeof html> {
  const cells = (shop: ShopStatusJson) => COLUMNS.map(([key]) => html`<td>${text(shop[key])}</td>`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content="10" />
        <title>order-sync</title>
        <style>
          body {
            font:
              15px/1.5 system-ui,
              sans-serif;
            margin: 2rem;
          }
          td,
          th {
            padding: 0.3rem 1rem 0.3rem 0;
            text-align: left;
          }
        </style>
      </head>
      <body>
        <h1>order-sync</h1>
        <table>
          <thead>
            <tr>
              ${COLUMNS.map(([, heading]) => html`<th>${heading}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${shops.map(
              (shop) =>
                html`<tr>
                  ${cells(shop)}
                </tr>`,
            )}
          </tbody>
        </table>
        <p>
          ${shops.length === 0 ? 'No shop was swept yet. ' : ''}As data:
          <a href="/status.json">/status.json</a>,
          <a href="/metrics">/metrics</a>
        </p>
      </body>
    </html>`;
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en');
  return typeof value === 'string' ? value.slice(0, 40) : '';
}
