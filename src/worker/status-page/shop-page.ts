import { html } from 'hono/html';

import { typed } from '../../sync/report/run-problem.ts';
import type { Calendar } from '../../plan/days/calendar.ts';
import type { DailySeries } from '../../sync/report/daily-series.ts';
import type { ShopDetails } from '../../sync/report/shop-details.ts';
import { describeCondition } from '../../sync/report/shop-condition.ts';
import {
  calendarLegend,
  calendarRows,
  countStates,
  describeCounts,
  groupDays,
  type ShownDay,
} from './calendar.ts';
import { layout, type PageContext } from './layout.ts';
import { findProblems } from '../../sync/report/shop-problems.ts';
import { dailyBars } from './daily-bars.ts';
import { activitySections } from './shop-activity.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { shownFigures } from '../../sync/report/shown-figures.ts';
import { grouped } from '../../amount-text.ts';
import { ago, dataTable, type Html, notYet, scroll, withCode } from './text.ts';

/** Why a shop is in the state that it is in, and all that is known of its days, requests and runs. */
export function shopPage(details: ShopDetails, context: PageContext): Html {
  const shop = details.report.status;
  const { word, text } = describeCondition(shop, context.now);
  const main = html`
    <h1>${shop.shop}</h1>
    <p class="sub"><span class="state ${word}">${text}</span> <span class="zone">${shop.timezone}</span></p>
    ${tiles(shop, context.now)}
    <section aria-labelledby="todo-title">
      <h2 id="todo-title">What to do</h2>
      <div class="todo card">${problemList(details, shop, context.now)}</div>
    </section>
    <section aria-labelledby="calendar-title">
      <h2 id="calendar-title">Days</h2>
      <div class="card">${calendarBody(details)}</div>
    </section>
    <section aria-labelledby="orders-title">
      <h2 id="orders-title">Orders per day</h2>
      <div class="card">${ordersBody(details)}</div>
    </section>
    <div class="columns">${activitySections(details, shop, context.now)}</div>
  `;
  const title = `${word === 'failing' ? '(failing) ' : ''}${shop.shop} · order-sync`;
  return layout(context, { title, root: '..', main });
}

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

function calendarBody({ calendar, daily }: ShopDetails): Html {
  if (calendar === undefined) {
    return notYet('no day was read');
  }
  const counts = countStates(calendar.states.map((state) => ({ state })));
  return html`<p class="sub">Since ${calendar.firstDay.toString()}: ${describeCounts(counts)}.</p>
    ${calendarRows(calendar, daily.orders)} ${calendarLegend()}`;
}

function ordersBody({ calendar, daily }: ShopDetails): Html {
  if (calendar === undefined) return notYet('orders and sales follow the first day that is read');
  return html`${dailyBars(calendar, daily.orders)} ${monthTable(calendar, daily)}`;
}

/** What the calendar and the bars show, as a table: newest month first. */
function monthTable(calendar: Calendar, daily: DailySeries): Html {
  const months = groupDays(calendar, (day) => day.toPlainYearMonth().toString());
  const figures = ['Verified', 'Empty', 'Due', 'Failed', 'Not read', 'Orders', 'Sales'];
  const table = dataTable(
    [['Month', 'moment'], ...figures.map((name) => [name, 'number'] as const)],
    [...months].toReversed().map(([month, { days, counts }]) => {
      const { verified, empty, due, unverified, failed } = counts;
      const orders = sum(days, daily.orders);
      const row = [verified, empty, due, failed, unverified, orders].map(grouped);
      return [month, ...row, salesText(days, daily)];
    }),
  );
  return html`<details id="by-month">
    <summary>As a table, by month</summary>
    ${scroll('Days, orders and sales by month', table)}
  </details>`;
}

const sum = (days: readonly ShownDay[], values: readonly number[]) =>
  days.reduce((total, { index }) => total + (values[index] ?? 0), 0);

function salesText(days: readonly ShownDay[], { sales }: DailySeries): string {
  const texts = sales.flatMap(({ currency, revenue }) => {
    const total = sum(days, revenue);
    return total === 0 ? [] : [amountText(total, currency)];
  });
  return texts.length === 0 ? '–' : texts.join(', ');
}

function amountText(amount: number, currency: string | null): string {
  const figure = grouped(amount);
  return currency === null ? figure : `${figure} ${currency}`;
}
