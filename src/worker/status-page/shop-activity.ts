import { html } from 'hono/html';

import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { bar, hourBars } from './bars.ts';
import type { RequestCount } from './request-counts.ts';
import { runTable } from './run-table.ts';
import type { ShopStatusJson } from '../../sync/report/shop-status-json.ts';
import { counted, duration, grouped } from '../../amount-text.ts';
import { ageText, ago, type Html } from './text.ts';

/** How fresh a shop's days are, what it is asked, how it changes, what was rejected, and its last runs. */
export function activitySections(
  details: ShopDetails,
  shop: ShopStatusJson,
  requests: readonly RequestCount[],
  now: Temporal.Instant,
): Html {
  const part = (id: string, title: string, body: Html | string, kind = '') =>
    html`<section aria-labelledby="${id}" class="card ${kind}">
      <h2 id="${id}">${title}</h2>
      ${body}
    </section>`;
  return html`${part('freshness', 'Freshness', freshnessTable(details))}
  ${part('requests', 'Requests', requestBody(details, shop, requests, now))}
  ${part('changes', 'Changes by age of the order', changesTable(shop))}
  ${part('rejected', 'Rejections', rejectionTable(details, now))}
  ${part('runs', 'Runs', runTable(details.runs, now), 'full')}`;
}

function scroll(label: string, table: Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div>`;
}

function freshnessTable({ freshness }: ShopDetails): Html {
  const rows = freshness.filter(({ days }) => days > 0);
  if (rows.length === 0) return html`<p class="empty">No day was read yet.</p>`;
  return scroll(
    'Freshness by age of the day',
    html`<table>
      <thead>
        <tr>
          <th scope="col">Days</th>
          <th scope="col" class="number">Verified every</th>
          <th scope="col" class="number">Longest ago</th>
          <th scope="col" class="number">Due</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ fromAge, toAge, targetMs, oldestMs, due }) =>
            html`<tr>
              <th scope="row">${ageText(fromAge, toAge)}</th>
              <td class="number">${duration(targetMs)}</td>
              <td class="number">${oldestMs === undefined ? 'never' : duration(oldestMs)}</td>
              <td class="number">${grouped(due)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

const OUTCOMES = [
  ['ok', 'Answered'],
  ['transient', 'To be retried'],
  ['terminal', 'Refused'],
  ['stopped', 'Stopped'],
] as const;

function requestBody(
  { requestsByHour }: ShopDetails,
  { steady_list_requests_per_hour: steady, throttle }: ShopStatusJson,
  requests: readonly RequestCount[],
  now: Temporal.Instant,
): Html {
  const pace =
    throttle === null
      ? ''
      : ` At most ${throttle.concurrency} of ${throttle.max_concurrency} at once, ${throttle.max_rps} per second.`;
  return html`<p class="sub">
      Per hour, over the last 24 hours. FRESHNESS alone takes ${steady.toFixed(1)}.${pace}
    </p>
    ${requestsByHour.length === 0 ? '' : hourBars(requestsByHour, now)} ${outcomeTable(requests)}`;
}

function outcomeTable(requests: readonly RequestCount[]): Html {
  if (requests.length === 0) {
    return html`<p class="sub">This worker has made no request to the shop since it started.</p>`;
  }
  const shown = OUTCOMES.filter(([outcome]) => requests.some((each) => each.outcome === outcome));
  const routes = [...Map.groupBy(requests, ({ route }) => route)];
  return scroll(
    'Requests of this worker by outcome',
    html`<table>
      <caption>
        By outcome, of this worker since it started
      </caption>
      <thead>
        <tr>
          <th scope="col">Resource</th>
          ${shown.map(([, name]) => html`<th scope="col" class="number">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${routes.map(
          ([route, counts]) =>
            html`<tr>
              <th scope="row">${route}</th>
              ${shown.map(
                ([outcome]) =>
                  html`<td class="number">
                    ${grouped(counts.find((each) => each.outcome === outcome)?.count ?? 0)}
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

function changesTable({ change_age_days: { changes, p50, p99, by_age = [] } }: ShopStatusJson): Html {
  if (changes === 0) {
    return html`<p class="empty">No change of an order was seen yet. They are counted once a day.</p>`;
  }
  const max = Math.max(...by_age.map((group) => group.changes));
  return html`<p class="sub">
      ${counted(changes, 'change')}: half within ${p50.toFixed(1)} days, 99 of 100 within ${p99.toFixed(1)}.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Age</th>
          <th scope="col" class="number">Changes</th>
          <th scope="col"><span class="unseen">Share</span></th>
        </tr>
      </thead>
      <tbody>
        ${by_age.map(
          (group, index) =>
            html`<tr>
              <th scope="row">${spanText(by_age[index - 1]?.under_days ?? 0, group.under_days)}</th>
              <td class="number">${grouped(group.changes)}</td>
              <td class="bar-cell">${bar(group.changes, max)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function spanText(from: number, under: number | null): string {
  if (under === null) return `${from} days or more`;
  return from === 0 ? 'under a day' : `${from} to ${under} days`;
}

function rejectionTable({ rejections }: ShopDetails, now: Temporal.Instant): Html {
  if (rejections.length === 0) return html`<p class="well">None: everything could be understood.</p>`;
  return scroll(
    'Open rejections by reason',
    html`<table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Reason</th>
          <th scope="col" class="number">Open</th>
          <th scope="col" class="number">Last seen</th>
        </tr>
      </thead>
      <tbody>
        ${rejections.map(
          ({ resource, field, reason, open, last_seen_at }) =>
            html`<tr>
              <th scope="row">${field === null ? `${resource} (all of it)` : `${resource}: ${field}`}</th>
              <td class="words">${reason}</td>
              <td class="number">${grouped(open)}</td>
              <td class="number">${ago(last_seen_at, now)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}
