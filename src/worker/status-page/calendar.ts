import { html } from 'hono/html';

import type { Calendar, DayState } from '../../plan/days/calendar.ts';
import { dayNumber } from '../../plan/days/day-number.ts';
import { counted, grouped } from '../../model/amount-text.ts';
import { type Html, MONTHS } from './text.ts';

/** Distance from one day's square to the next one's. */
const PITCH = 12;
/** Above the days, for the months. */
const HEAD = 14;
/** Left of the days, for the weekdays. */
const SIDE = 28;
const WEEKDAYS = [
  ['Mon', 0],
  ['Wed', 2],
  ['Fri', 4],
] as const;
/** Older years are folded away, unless a day of theirs could not be verified, or never was. */
const YEARS_SHOWN = 3;

/** The form of a day's mark, so that states differ not by colour alone. */
const MARKS = {
  verified: 'h10v10h-10z',
  due: 'm5 0l5 5-5 5-5-5z',
  unverified: 'm1 1h8v8h-8z',
  failed: 'm1 1l8 8m0-8l-8 8',
  empty: 'm3.5 3.5h3v3h-3z',
} as const;

/** Every day of a shop's history in rows of a year, newest first; darker days have more orders. */
export function calendarRows(calendar: Calendar, orders: readonly number[]): Html {
  const limits = quartiles(orders);
  const halves = groupDays(calendar, ({ year, month }) => `${year} ${month <= 6 ? 1 : 2}`);
  const byYear = Map.groupBy(halves, ([key]) => key.slice(0, -2));
  const years = [...byYear].toReversed().map(([year, parts]) => {
    return { year, stretches: parts.map(([, stretch]) => stretch) };
  });
  const isAlone = byYear.size === 1;
  const row = ({ year, stretches }: (typeof years)[number]) =>
    html`<div class="year">
      <h3>${year}</h3>
      ${stretches.map((stretch) => halfYear(stretch, isAlone, orders, limits))}
    </div>`;
  const [shown, older] = [years.slice(0, YEARS_SHOWN), years.slice(YEARS_SHOWN)];
  const counts = countStates(older.flatMap(({ stretches }) => stretches.flatMap(({ days }) => days)));
  return html`<div class="calendar">
    ${shown.map(row)}
    ${
      older.length === 0
        ? ''
        : html`<details id="older-years" ${counts.unverified + counts.failed > 0 ? 'open' : ''}>
            <summary>${older.at(-1)?.year}–${older[0]?.year}: ${describeCounts(counts)}</summary>
            ${older.map(row)}
          </details>`
    }
  </div>`;
}

/** Weeks are columns, from Monday down. @param isFree it need not be in line with those of other years */
function halfYear(
  { days, counts }: Stretch,
  isFree: boolean,
  orders: readonly number[],
  limits: readonly number[],
): Html {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return html``;
  const start = isFree ? first.day : first.day.with({ month: first.day.month <= 6 ? 1 : 7, day: 1 });
  const origin = dayNumber(start) - (start.dayOfWeek - 1);
  const place = (day: Temporal.PlainDate) => ({
    x: Math.floor((dayNumber(day) - origin) / 7) * PITCH,
    y: (day.dayOfWeek - 1) * PITCH,
  });
  const paths = Map.groupBy(days, (day) => markClass(day, orders, limits));
  const draw = ({ day, state }: ShownDay) => {
    const { x, y } = place(day);
    return `M${x} ${y}${MARKS[state]}`;
  };
  // The name of a month that has but a few days here would run into the next one.
  const months = days.filter(({ day }) => day.day === 1 || (day.equals(first.day) && day.day < 14));
  const name = `${first.day.toString()} to ${last.day.toString()}: ${describeCounts(counts)}`;
  return html`<svg
    viewBox="${-SIDE} ${-HEAD} ${28 * PITCH + SIDE} ${7 * PITCH + HEAD}"
    role="img"
    aria-label="${name}"
  >
    ${WEEKDAYS.map(([name, row]) => html`<text x="${-SIDE}" y="${row * PITCH + 9}">${name}</text>`)}
    ${months.map(({ day }) => {
      const x = place(day).x + (day.day === 1 && day.dayOfWeek > 1 ? PITCH : 0);
      return html`<text x="${x}" y="-5">${MONTHS[day.month - 1]}</text>`;
    })}
    ${[...paths].map(([mark, marked]) => html`<path class="${mark}" d="${marked.map(draw).join('')}" />`)}
  </svg>`;
}

function markClass({ state, index }: ShownDay, orders: readonly number[], limits: readonly number[]): string {
  if (state !== 'verified') return state;
  const count = orders[index] ?? 0;
  return `verified level-${1 + limits.filter((limit) => count > limit).length}`;
}

/** Zero of what is wrong is said too. */
export function describeCounts({ verified, empty, due, unverified, failed }: StateCounts): string {
  const without = empty === 0 ? '' : ` (${counted(empty, 'empty day')})`;
  const never = unverified === 0 ? '' : `, ${grouped(unverified)} not read yet`;
  return `${counted(verified + empty, 'day')} verified${without}, ${grouped(due)} due, ${grouped(failed)} failed${never}`;
}

const LEGEND = [
  ['verified level-1', 'verified', 'verified, few orders'],
  ['verified level-4', 'verified', 'many orders'],
  ['empty', 'empty', 'verified, no order'],
  ['due', 'due', 'due: verified, but to be looked at again'],
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

type ShownDay = {
  readonly day: Temporal.PlainDate;
  readonly state: DayState;
  readonly index: number;
};

type Stretch = { readonly days: readonly ShownDay[]; readonly counts: StateCounts };

type StateCounts = Readonly<Record<DayState, number>>;

/** Groups consecutive days by a key, oldest first. */
function groupDays(
  { firstDay, states }: Calendar,
  keyOf: (day: Temporal.PlainDate) => string,
): ReadonlyMap<string, Stretch> {
  const days = states.map((state, index) => ({ day: firstDay.add({ days: index }), state, index }));
  const groups = Map.groupBy(days, ({ day }) => keyOf(day));
  return new Map([...groups].map(([key, days]) => [key, { days, counts: countStates(days) }]));
}

export function countStates(days: readonly Pick<ShownDay, 'state'>[]): StateCounts {
  const counts = { verified: 0, empty: 0, due: 0, unverified: 0, failed: 0 };
  for (const { state } of days) counts[state]++;
  return counts;
}

/** The numbers of orders above which a day is drawn darker: the quartiles of the days that have any. */
function quartiles(orders: readonly number[]): readonly number[] {
  const sorted = orders.filter((count) => count > 0).toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(sorted.length * part)] ?? 0);
}
