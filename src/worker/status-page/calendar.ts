/** What is drawn of a shop's days: the state of each, and the orders of the last ones. */
import { html } from 'hono/html';

import type { Calendar, DayState } from '../../plan/days/calendar.ts';
import { counted, grouped } from '../../model/amount-text.ts';
import type { Html } from './layout.ts';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Distance from one day's square to the next one's. */
const PITCH = 12;
/** Above the days, for the months; left of them, for the weekdays. */
const [HEAD, SIDE] = [14, 28];
const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri'];
/** Older years are folded away. */
const YEARS_SHOWN = 3;

/** The form of a day's mark, so that states differ not by colour alone. */
const MARKS = {
  verified: 'h10v10h-10z',
  due: 'm5 0l5 5-5 5-5-5z',
  unverified: 'm1 1h8v8h-8z',
  failed: 'm1 1l8 8m0-8l-8 8',
  empty: 'm3.5 3.5h3v3h-3z',
} as const;

type ShownDay = {
  readonly day: Temporal.PlainDate;
  readonly state: DayState;
  /** CSS classes. */
  readonly mark: string;
};

/** Every day of a shop's history in rows of a year, newest first; darker days have more orders. */
export function calendarRows({ firstDay, states }: Calendar, orders: readonly number[]): Html {
  const limits = quartiles(orders);
  const level = (count: number) => 1 + limits.filter((limit) => count > limit).length;
  const days = states.map((state, index): ShownDay => {
    const mark = state === 'verified' ? `verified level-${level(orders[index] ?? 0)}` : state;
    return { day: firstDay.add({ days: index }), state, mark };
  });
  const years = [...Map.groupBy(days, ({ day }) => day.year)].toReversed();
  const [shown, older] = [years.slice(0, YEARS_SHOWN), years.slice(YEARS_SHOWN)];
  const folded = html`<details id="older-years">
    <summary>${older.at(-1)?.[0]}–${older[0]?.[0]}</summary>
    ${older.map(yearRow)}
  </details>`;
  return html`${shown.map(yearRow)} ${older.length === 0 ? '' : folded}`;
}

function yearRow([year, days]: readonly [number, readonly ShownDay[]]): Html {
  const halves = Map.groupBy(days, ({ day }) => (day.month <= 6 ? 1 : 7));
  return html`<div class="year">
    <h3>${year}</h3>
    ${[...halves].map(([month, half]) => halfYear(Temporal.PlainDate.from({ year, month, day: 1 }), half))}
  </div>`;
}

/** Weeks are columns, from Monday down. */
function halfYear(start: Temporal.PlainDate, days: readonly ShownDay[]): Html {
  const monday = start.subtract({ days: start.dayOfWeek - 1 });
  const columnOf = (day: Temporal.PlainDate) => Math.floor(monday.until(day).days / 7) * PITCH;
  const draw = ({ day, state }: ShownDay) =>
    `M${columnOf(day)} ${(day.dayOfWeek - 1) * PITCH}${MARKS[state]}`;
  const months = Array.from({ length: 6 }, (_, index) => start.add({ months: index }));
  return html`<svg
    viewBox="${-SIDE} ${-HEAD} ${28 * PITCH + SIDE} ${7 * PITCH + HEAD}"
    role="img"
    aria-label="${days[0]?.day.toString()} to ${days.at(-1)?.day.toString()}: ${describeCounts(days.map(({ state }) => state))}"
  >
    ${WEEKDAYS.map((weekday, row) => html`<text x="${-SIDE}" y="${row * PITCH + 9}">${weekday}</text>`)}
    ${months.map((day) => html`<text x="${columnOf(day)}" y="-5">${MONTHS[day.month - 1]}</text>`)}
    ${[...Map.groupBy(days, ({ mark }) => mark)].map(
      ([mark, marked]) => html`<path class="${mark}" d="${marked.map(draw).join('')}" />`,
    )}
  </svg>`;
}

/** How many days are in which state. Zero of what is wrong is said too. */
export function describeCounts(states: readonly DayState[]): string {
  const counts = { verified: 0, empty: 0, due: 0, unverified: 0, failed: 0 };
  for (const state of states) counts[state]++;
  const { verified, empty, due, unverified, failed } = counts;
  const without = empty === 0 ? '' : ` (${counted(empty, 'empty day')})`;
  const never = unverified === 0 ? '' : `, ${grouped(unverified)} not read yet`;
  return `${counted(verified + empty, 'day')} verified${without}, ${grouped(due)} due, ${grouped(failed)} failed${never}`;
}

const LEGEND = [
  ['verified level-1', 'verified', 'verified, few orders'],
  ['verified level-4', 'verified', 'many orders'],
  ['empty', 'empty', 'verified, no order'],
  ['due', 'due', 'due: verified, but due to be read again'],
  ['unverified', 'unverified', 'not read yet'],
  ['failed', 'failed', 'could not be verified'],
] as const;

export function calendarLegend(): Html {
  return html`<ul class="legend">
    ${LEGEND.map(
      ([mark, state, text]) =>
        html`<li>
          <svg viewBox="0 0 10 10" aria-hidden="true"><path class="${mark}" d="M0 0${MARKS[state]}" /></svg>
          ${text}
        </li>`,
    )}
  </ul>`;
}

/** The numbers of orders above which a day is drawn darker: the quartiles of the days that have any. */
function quartiles(orders: readonly number[]): readonly number[] {
  const sorted = orders.filter((count) => count > 0).toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(sorted.length * part)] ?? 0);
}

const DAYS_SHOWN = 90;
/** Bars of a young shop are no wider than those of four weeks. */
const LEAST_DAYS = 28;

/** Orders per day of the last days, the newest last. A day that was not read is drawn as such, not as one without orders. */
export function dailyBars({ firstDay, states }: Calendar, orders: readonly number[]): Html {
  const from = Math.max(0, states.length - DAYS_SHOWN);
  const days = states.slice(from).map((state, index) => ({
    day: firstDay.add({ days: from + index }),
    isRead: state !== 'unverified',
    count: orders[from + index] ?? 0,
  }));
  const max = Math.max(1, ...days.map(({ count }) => count));
  const bars = days.map(({ day, isRead, count }, index) => {
    const isUnread = !isRead && count === 0;
    const height = isUnread ? 100 : count === 0 ? 1 : Math.max(2, Math.round((count / max) * 100));
    return html`<rect
      class="${isUnread ? 'unread' : 'count'}"
      x="${index}"
      y="${100 - height}"
      width="0.8"
      height="${height}"
    >
      <title>${day.toString()}: ${isUnread ? 'not read yet' : counted(count, 'order')}</title>
    </rect>`;
  });
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const name = `Orders per day of the last ${counted(days.length, 'day')}: ${grouped(total)} in all, at most ${grouped(max)}`;
  return html`<p class="quiet">
      The last ${counted(days.length, 'day')}, since ${days[0]?.day.toString()}: ${counted(total, 'order')},
      at most ${grouped(max)} on one day.
    </p>
    <svg
      class="daily"
      viewBox="0 0 ${Math.max(days.length, LEAST_DAYS)} 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="${name}"
    >
      ${bars}
    </svg>`;
}
