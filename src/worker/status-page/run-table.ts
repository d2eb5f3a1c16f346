import { html } from 'hono/html';

import type { StoredRun } from '../../warehouse/ops/runs.ts';
import { duration, grouped } from '../../amount-text.ts';
import { type Html, moment, parseMoment } from './text.ts';

const FIGURES = [
  ['Days', 'days_verified'],
  ['New', 'orders_new'],
  ['Changed', 'orders_changed'],
  ['Missing', 'orders_missing'],
  ['Requests', 'requests'],
  ['Retries', 'retries'],
  ['Rejections', 'rejections'],
] as const;

/** The last runs that did something, newest first. */
export function runTable(runs: readonly StoredRun[], now: Temporal.Instant): Html {
  if (runs.length === 0) return html`<p class="empty">None yet.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Last runs">
    <table>
      <thead>
        <tr>
          ${['Began', 'Kind', 'Result'].map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col" class="number">Took</th>
          ${FIGURES.map(([name]) => html`<th scope="col" class="number">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${runs.map(
          (run) =>
            html`<tr>
                <th scope="row" class="moment">${moment(run.started_at)}</th>
                <td>${run.kind}</td>
                <td><span class="result ${run.status}">${run.status}</span></td>
                <td class="number">${took(run, now)}</td>
                ${FIGURES.map(([, key]) => html`<td class="number">${grouped(run[key])}</td>`)}
              </tr>
              ${
                run.error === null || run.status === 'ok'
                  ? ''
                  : html`<tr class="note">
                      <td colspan="${4 + FIGURES.length}"><span class="stay">${run.error}</span></td>
                    </tr>`
              }`,
        )}
      </tbody>
    </table>
  </div>`;
}

function took({ started_at, finished_at }: StoredRun, now: Temporal.Instant): string {
  const end = finished_at === null ? now : parseMoment(finished_at);
  return duration(parseMoment(started_at).until(end).total('milliseconds'));
}
