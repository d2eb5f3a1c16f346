import { html } from 'hono/html';

import type { Calendar } from '../../plan/calendar.ts';
import type { DailySeries } from '../../sync/report/shop-details.ts';
import { groupDays, type ShownDay } from './calendar-days.ts';
import { grouped } from '../../amount-text.ts';
import { type Html } from './text.ts';

/** What the calendar and the charts show, as a table: newest month first. */
export function monthTable(calendar: Calendar, daily: DailySeries): Html {
  const months = groupDays(calendar, (day) => day.toPlainYearMonth().toString());
  return html`<details id="by-month">
    <summary>As a table, by month</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Days, orders and sales by month">
      <table>
        <thead>
          <tr>
            <th scope="col">Month</th>
            ${['Verified', 'Empty', 'Due', 'Failed', 'Not read', 'Orders'].map(
              (name) => html`<th scope="col" class="number">${name}</th>`,
            )}
            <th scope="col" class="number">Sales</th>
          </tr>
        </thead>
        <tbody>
          ${[...months].toReversed().map(
            ([
              month,
              {
                days,
                counts: { verified, empty, due, unverified, failed },
              },
            ]) =>
              html`<tr>
                <th scope="row" class="moment">${month}</th>
                ${[verified, empty, due, failed, unverified, sum(days, daily.orders)].map(
                  (figure) => html`<td class="number">${grouped(figure)}</td>`,
                )}
                <td class="number">${salesText(days, daily)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
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
  const figure = amount.toLocaleString('en', { maximumFractionDigits: 0 });
  return currency === null ? figure : `${figure} ${currency}`;
}
