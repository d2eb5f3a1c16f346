import {
  coverageText,
  NOT_YET,
  paceText,
  shownFigures,
  steadyText,
} from '../../sync/report/shown-figures.ts';
import { html } from 'hono/html';

import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { ageText, ago, dataTable, hourBars, type Html, moment, notYet, scroll } from './text.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { duration, grouped } from '../../amount-text.ts';
import type { StoredRun } from '../../warehouse/ops/runs.ts';

/** How fresh a shop's days are, what it is asked, how it changes, what was rejected, and its last runs. */
export function activitySections(details: ShopDetails, shop: ShopStatusJson, now: Temporal.Instant): Html {
  const part = (id: string, title: string, body: Html | string, kind = '') =>
    html`<section aria-labelledby="${id}" class="card ${kind}">
      <h2 id="${id}">${title}</h2>
      ${body}
    </section>`;
  return html`${part('freshness', 'Freshness', freshnessTable(details))}
  ${part('counts', 'Counts', countsBody(shop, now))}
  ${part('requests', 'Requests', requestBody(details, shop, now))}
  ${part('rejected', 'Rejections', rejectionTable(details, now))}
  ${part('runs', 'Runs', runTable(details.runs, now), 'full')}`;
}

function freshnessTable({ report }: ShopDetails): Html {
  const rows = report.freshness.filter(({ days }) => days > 0);
  if (rows.length === 0) return notYet('no day was read');
  return scroll(
    'Freshness by age of the day',
    dataTable(
      [['Days'], ['Verified every', 'number'], ['Longest ago', 'number'], ['Due', 'number']],
      rows.map(({ fromAge, toAge, targetMs, oldestMs, due }) => [
        ageText(fromAge, toAge),
        duration(targetMs),
        oldestMs === undefined ? NOT_YET : duration(oldestMs),
        grouped(due),
      ]),
    ),
  );
}

/** How much of the history the shop's own counts were compared with, and what it counts wrong. */
function countsBody({ counts }: ShopStatusJson, now: Temporal.Instant): Html {
  if (counts === null) return notYet('the shop was not asked to count its orders');
  const aside = counts.set_aside;
  return html`<p class="sub">
      Last ${ago(counts.at, now)}: what the shop itself counts was compared with the warehouse,
      ${coverageText(counts)}. Days that differ were read again.
    </p>
    ${
      aside.length === 0
        ? ''
        : scroll(
            'What the shop counts wrong',
            dataTable(
              [['Facet'], ['Not usable, since', 'words'], ['Asked again after', 'moment']],
              aside.map(({ facet, reason, until }) => [facet, reason, moment(until)]),
            ),
          )
    }`;
}

function requestBody(
  { report: { requestsByHour } }: ShopDetails,
  shop: ShopStatusJson,
  now: Temporal.Instant,
): Html {
  const pace = shop.throttle === null ? '' : ` Pace: ${paceText(shop.throttle)}.`;
  const steady = shownFigures(shop).isUnread
    ? ''
    : `In an hour in which nothing changes in the shop, ${steadyText(shop)} keep the copy as fresh as the policy asks.`;
  return html`<p class="sub">Per hour, over the last 24 hours. ${steady}${pace}</p>
    ${requestsByHour.length === 0 ? '' : hourBars(requestsByHour, now)}`;
}

function rejectionTable({ rejections, report }: ShopDetails, now: Temporal.Instant): Html {
  if (report.status.orders === 0) return notYet('no order was read');
  if (rejections.length === 0) return html`<p class="well">None: everything could be understood.</p>`;
  return scroll(
    'Open rejections by reason',
    dataTable(
      [['Field'], ['Reason', 'words'], ['Open', 'number'], ['Last seen', 'number']],
      rejections.map(({ resource, field, reason, open, last_seen_at }) => [
        field === null ? `${resource} (all of it)` : `${resource}: ${field}`,
        reason,
        grouped(open),
        ago(last_seen_at, now),
      ]),
    ),
  );
}

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
function runTable(runs: readonly StoredRun[], now: Temporal.Instant): Html {
  if (runs.length === 0) return notYet('no run did anything');
  const columns = [
    ['Began', 'moment'],
    ['Kind'],
    ['Result'],
    ...['Took', ...FIGURES.map(([name]) => name)].map((name) => [name, 'number'] as const),
  ] as const;
  const rows = runs.map((run) => {
    const result = html`<span class="result ${run.status}">${run.status}</span>`;
    const figures = FIGURES.map(([, key]) => grouped(run[key]));
    return [moment(run.started_at), run.kind, result, took(run, now), ...figures];
  });
  const said = ({ error, status }: StoredRun) => (status === 'ok' ? undefined : (error ?? undefined));
  // Of runs in a row that ended in one way, it is said once.
  const notes = runs.map((run, index) => {
    const [note, later] = [said(run), runs[index - 1]];
    return later && said(later) === note ? undefined : note;
  });
  return scroll('Last runs', dataTable(columns, rows, { notes }));
}

function took({ started_at, finished_at }: StoredRun, now: Temporal.Instant): string {
  return duration(started_at.until(finished_at ?? now).total('milliseconds'));
}
