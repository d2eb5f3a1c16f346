import { html } from 'hono/html';

import { typed } from '../../sync/report/run-problem.ts';
import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { describeCondition } from '../../sync/report/shop-condition.ts';
import { calendarLegend, calendarRows, countStates, describeCounts } from './calendar.ts';
import { layout, type PageContext } from './layout.ts';
import { findProblems } from '../../sync/report/shop-problems.ts';
import { dailyBars } from './daily-bars.ts';
import { rejectionTable, runTable } from './shop-activity.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { shownFigures } from '../../sync/report/shown-figures.ts';
import { grouped } from '../../model/amount-text.ts';
import { ago, type Html, notYet, withCode } from './text.ts';

/** Why a shop is in the state that it is in, and all that is known of its days, requests and runs. */
export function shopPage(details: ShopDetails, context: PageContext): Html {
  const shop = details.report.status;
  const { word, text } = describeCondition(shop, context.now);
  const main = html`
    <h1>${shop.shop}</h1>
    <p class="sub"><span class="state ${word}">${text}</span> <span class="zone">${shop.timezone}</span></p>
    ${tiles(shop, context.now)} ${part('todo', 'What to do', problemList(details, shop, context.now))}
    ${part('calendar', 'Days', calendarBody(details))}
    ${part('orders', 'Orders per day', ordersBody(details))}
    ${part('runs', 'Runs', runTable(details.runs, context.now))}
    ${part('rejected', 'Rejections', rejectionTable(details, context.now))}
  `;
  const title = `${word === 'failing' ? '(failing) ' : ''}${shop.shop} · order-sync`;
  return layout(context, { title, root: '..', main });
}

const part = (id: string, title: string, body: Html) =>
  html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <div class="card ${id}">${body}</div>
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
  return html`<dl class="tiles">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function problemList({ failedDays }: ShopDetails, shop: ShopStatusJson, now: Temporal.Instant): Html {
  const problems = findProblems(shop, now);
  if (problems.length === 0 && failedDays.length === 0)
    return html`<p class="well">${withCode(wellText(shop))}</p>`;
  return html`<ul class="problems">
      ${problems.map(
        ({ weight, what, advice }) =>
          html`<li class="${weight}"><strong>${what}</strong> ${withCode(advice)}</li>`,
      )}
    </ul>
    ${
      failedDays.length === 0
        ? ''
        : html`<details id="failed-days">
            <summary>Newest days that could not be verified, and why: ${failedDays.length}</summary>
            <ul>
              ${failedDays.map(({ day, error }) => html`<li><span class="moment">${day}</span>: ${error}</li>`)}
            </ul>
          </details>`
    }`;
}

function wellText({ shop, days_due, runs: [last] }: ShopStatusJson): string {
  if (days_due === null && last === undefined) {
    return `Not yet: no sweep has begun. A worker that has this shop in its settings begins within a minute; without one, ${typed('load shop', { shop })} loads it.`;
  }
  if (days_due === 0) return 'Nothing: all is well.';
  if (last?.status === 'running') return 'Nothing: a run is reading the shop now.';
  return 'Nothing: the next sweep verifies the days that are due.';
}

function calendarBody({ calendar, ordersByDay }: ShopDetails): Html {
  if (calendar === undefined) {
    return notYet('no day was read');
  }
  const counts = countStates(calendar.states.map((state) => ({ state })));
  return html`<p class="sub">Since ${calendar.firstDay.toString()}: ${describeCounts(counts)}.</p>
    ${calendarRows(calendar, ordersByDay)} ${calendarLegend()}`;
}

function ordersBody({ calendar, ordersByDay }: ShopDetails): Html {
  return calendar === undefined
    ? notYet('orders follow the first day that is read')
    : dailyBars(calendar, ordersByDay);
}
