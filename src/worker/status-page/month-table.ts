import { html } from 'hono/html';

import type { Calendar } from '../../plan/days/calendar.ts';
import type { DailySeries } from '../../sync/report/shop-details.ts';
import { groupDays, type ShownDay } from './calendar.ts';
import { grouped } from '../../amount-text.ts';
import { dataTable, type Html, scroll } from './text.ts';

/** What the calendar and the charts show, as a table: newest month first. */
export function monthTable(calendar: Calendar, daily: DailySeries): Html {
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
