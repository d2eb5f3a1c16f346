/** What every page is made of: its frame, times, ages and tables. */
import { html } from 'hono/html';

import { duration, utcText } from '../../model/amount-text.ts';
import type { Problem } from '../../sync/report/shop-problems.ts';
import { NOT_YET } from '../../sync/report/shown-figures.ts';

/** Markup, with all text in it escaped. */
export type Html = ReturnType<typeof html>;

/** UTC, whole seconds, without the zone: the pages say it once. */
export function moment(at: Temporal.Instant): string {
  return utcText(at.round({ smallestUnit: 'second', roundingMode: 'floor' })).replace(' UTC', '');
}

/** How long ago something was; the exact time shows on hovering. @param at an instant, or one as JSON has it */
export function ago(at: Temporal.Instant | string | null, now: Temporal.Instant): Html | string {
  if (at === null) return NOT_YET;
  const instant = Temporal.Instant.from(at);
  const ms = now.since(instant).total('milliseconds');
  return html`<time datetime="${instant.toString()}" title="${moment(instant)} UTC"
    >${duration(ms)} ago</time
  >`;
}

/** What is wrong, and what to do: in its text, backticks enclose what is to be typed. */
export function problemText({ what, advice }: Pick<Problem, 'what' | 'advice'>): Html {
  return html`<strong>${what}</strong> ${withCode(advice)}`;
}

export function withCode(text: string): readonly (Html | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** What there is nothing to show of yet, and why, without a full stop. */
export const notYet = (why: string) => html`<p class="quiet">Not yet: ${why}.</p>`;

type Cell = Html | string;
/** A heading, and the class of it and its cells: `number` aligns them right, `wide` leaves them out on a phone. */
type Column = readonly [name: string, kind?: string];

/**
 * A table whose first column names its rows; on a narrow screen it is scrolled.
 *
 * @param label says what it is
 * @param notes what is said below the row of the same place
 */
export function dataTable(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  notes: readonly (readonly Cell[])[] = [],
): Html {
  const kind = (index: number) => columns[index]?.[1] ?? '';
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map(([name], index) => html`<th scope="col" class="${kind(index)}">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, ...cells], row) =>
            html`<tr>
                <th scope="row" class="${kind(0)}">${name}</th>
                ${cells.map((cell, index) => html`<td class="${kind(index + 1)}">${cell}</td>`)}
              </tr>
              ${(notes[row] ?? []).map(
                (note) =>
                  html`<tr class="note">
                    <td colspan="${columns.length}"><p>${note}</p></td>
                  </tr>`,
              )}`,
        )}
      </tbody>
    </table>
  </div>`;
}

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
