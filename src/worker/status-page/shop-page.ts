import { html } from 'hono/html';

import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { describeCondition } from '../../sync/report/shop-condition.ts';
import { calendarLegend, calendarRows, dailyBars, describeCounts } from './calendar.ts';
import { findProblems, typed } from '../../sync/report/shop-problems.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { shownFigures } from '../../sync/report/shown-figures.ts';
import { duration, grouped } from '../../model/amount-text.ts';
import type { StoredRun } from '../../warehouse/ops/runs.ts';
import {
  ago,
  dataTable,
  type Html,
  layout,
  moment,
  notYet,
  type PageContext,
  problemText,
  withCode,
} from './layout.ts';

/** Why a shop is in the state that it is in, and all that is known of its days, requests and runs. */
export function shopPage(details: ShopDetails, context: PageContext): Html {
  const { calendar, ordersByDay, report, runs } = details;
  const shop = report.status;
  const { now } = context;
  const { word, text } = describeCondition(shop, now);
  const main = html`
    <h1>${shop.shop}</h1>
    <p class="quiet"><span class="state ${word}">${text}</span> · ${shop.timezone}</p>
    ${tiles(shop, now)} ${section('What to do', problemList(details, now))}
    ${section(
      'Days',
      calendar === undefined
        ? notYet('no day was read')
        : html`<p class="quiet">Since ${calendar.firstDay.toString()}: ${describeCounts(calendar.states)}.</p>
            ${calendarRows(calendar, ordersByDay)} ${calendarLegend()}`,
    )}
    ${section(
      'Orders per day',
      calendar === undefined
        ? notYet('orders follow the first day that is read')
        : dailyBars(calendar, ordersByDay),
    )}
    ${section('Runs', runTable(runs, now))} ${section('Rejections', rejectionTable(details, now))}
  `;
  const title = `${word === 'failing' ? '(failing) ' : ''}${shop.shop} · order-sync`;
  return layout(context, { title, root: '..', main });
}

const section = (title: string, body: Html) =>
  html`<section>
    <h2>${title}</h2>
    <div class="card">${body}</div>
  </section>`;

function tiles(shop: ShopStatusJson, now: Temporal.Instant): Html {
  const { completeThrough, daysDue, orders, rejections } = shownFigures(shop);
  const facts: readonly (readonly [string, Html | string])[] = [
    ['Complete through', completeThrough],
    ['Newest day verified', ago(shop.newest_verified_at, now)],
    ['Days due', daysDue],
    ['Orders', orders],
    ['Open rejections', rejections],
    ['Requests in 24 hours', grouped(shop.requests_last_day)],
  ];
  return html`<dl>
    ${facts.map(
      ([name, value]) =>
        html`<div class="card">
          <dt class="quiet">${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function problemList({ failedDays, report }: ShopDetails, now: Temporal.Instant): Html {
  const problems = findProblems(report.status, now);
  if (problems.length === 0 && failedDays.length === 0)
    return html`<p class="${isNew(report.status) ? 'quiet' : 'good'}">
      ${withCode(wellText(report.status))}
    </p>`;
  const days = html`<details id="failed-days">
    <summary>Newest days that could not be verified, and why: ${failedDays.length}</summary>
    <ul>
      ${failedDays.map(({ day, error }) => html`<li>${day}: ${error}</li>`)}
    </ul>
  </details>`;
  return html`<ul>
      ${problems.map((problem) => html`<li class="${problem.weight}">${problemText(problem)}</li>`)}
    </ul>
    ${failedDays.length === 0 ? '' : days}`;
}

const isNew = ({ days_due, runs }: ShopStatusJson) => days_due === null && runs.length === 0;

function wellText(status: ShopStatusJson): string {
  const { shop, days_due, runs } = status;
  if (isNew(status)) {
    return `Not yet: no sweep has started. A worker that has this shop in its settings starts within a minute; without one, ${typed('load shop', { shop })} loads it.`;
  }
  if (days_due === 0) return 'Nothing: all is well.';
  if (runs[0]?.status === 'running') return 'Nothing: a run is reading the shop now.';
  return 'Nothing: the next sweep verifies the days that are due.';
}

/** What of a shop could not be understood. */
function rejectionTable({ rejections, report }: ShopDetails, now: Temporal.Instant): Html {
  if (report.status.orders === 0) return notYet('no order was read');
  if (rejections.length === 0) return html`<p class="good">None: everything could be understood.</p>`;
  return dataTable(
    'Open rejections by reason',
    [['Field'], ['Reason', 'words'], ['Open', 'number'], ['Last seen', 'number']],
    rejections.map(({ resource, field, reason, open, last_seen_at }) => [
      field === null ? `${resource} (all of it)` : `${resource}: ${field}`,
      reason,
      grouped(open),
      ago(last_seen_at, now),
    ]),
  );
}

const FIGURES = [
  ['Days', 'days_verified', 'wide'],
  ['New', 'orders_new', ''],
  ['Changed', 'orders_changed', 'wide'],
  ['Missing', 'orders_missing', 'wide'],
  ['Requests', 'requests', 'wide'],
  ['Retries', 'retries', 'wide'],
  ['Rejections', 'rejections', 'wide'],
] as const;
/** The class of a result; any other is as it should be. */
const WEIGHTS: Readonly<Partial<Record<StoredRun['status'], string>>> = {
  failed: 'bad',
  abandoned: 'bad',
  partial: 'warn',
  interrupted: 'warn',
};

/** The last runs that did something, newest first. */
function runTable(runs: readonly StoredRun[], now: Temporal.Instant): Html {
  if (runs.length === 0) return notYet('no run did anything');
  const figures = FIGURES.map(([name, , width]) => [name, `number ${width}`] as const);
  const rows = runs.map((run) => {
    const took = run.started_at.until(run.finished_at ?? now).total('milliseconds');
    const result = html`<span class="${WEIGHTS[run.status] ?? ''}">${run.status}</span>`;
    const counts = FIGURES.map(([, key]) => grouped(run[key]));
    return [moment(run.started_at), run.kind, result, duration(took), ...counts];
  });
  const said = ({ error, status }: StoredRun) => (status === 'ok' ? '' : (error ?? ''));
  // Of runs in a row that ended in one way, it is said once.
  const notes = runs.map((run, index) => {
    const [note, later] = [said(run), runs[index - 1]];
    return note === '' || (later && said(later) === note) ? [] : [note];
  });
  return dataTable(
    'Last runs',
    [['Began', 'moment'], ['Kind'], ['Result'], ['Took', 'number wide'], ...figures],
    rows,
    notes,
  );
}
