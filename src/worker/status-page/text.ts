/** How the pages write times, ages and tables. */
import { html } from 'hono/html';

import { duration, utcText } from '../../model/amount-text.ts';
import { NOT_YET } from '../../sync/report/shown-figures.ts';

/** Markup, with all text in it escaped. */
export type Html = ReturnType<typeof html>;

/** An instant, or one as JSON has it. */
type Moment = Temporal.Instant | string;

/** UTC, whole seconds, without the zone: the pages say it once. */
export function moment(at: Moment | null): string {
  if (at === null) return '–';
  const second = Temporal.Instant.from(at).round({ smallestUnit: 'second', roundingMode: 'floor' });
  return utcText(second).replace(' UTC', '');
}

export const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** How long ago something was; the exact time shows on hovering. */
export function ago(at: Moment | null, now: Temporal.Instant): Html | string {
  if (at === null) return NOT_YET;
  const instant = Temporal.Instant.from(at);
  const ms = now.since(instant).total('milliseconds');
  return html`<time datetime="${instant.toString()}" title="${moment(at)} UTC">${duration(ms)} ago</time>`;
}

/** Our own text, in which backticks enclose what is to be typed. */
export function withCode(text: string): readonly (Html | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** What there is nothing to show of yet, and why, without a full stop. */
export const notYet = (why: string) => html`<p class="empty">Not yet: ${why}.</p>`;

/** A heading, and the class of it and its cells: `number` aligns them right. */
type Column = readonly [name: Html | string, kind?: string];

/**
 * A table whose first column names its rows.
 *
 * @param notes in a row of their own, below the row of the same place
 */
export function dataTable(
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
  notes: readonly (string | undefined)[] = [],
): Html {
  const kind = (index: number) => columns[index]?.[1] ?? '';
  return html`<table>
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
            ${
              notes[row] &&
              html`<tr class="note">
                <td colspan="${columns.length}"><span class="stay">${notes[row]}</span></td>
              </tr>`
            }`,
      )}
    </tbody>
  </table>`;
}

/** A table that may be wider than the page. */
export function scroll(label: string, table: Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div>`;
}
