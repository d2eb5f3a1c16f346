import { html } from 'hono/html';

import { counted, grouped } from '../../model/amount-text.ts';
import type { Calendar } from '../../plan/days/calendar.ts';
import { type Html, MONTHS } from './text.ts';

const [WIDTH, HEIGHT, FOOT] = [1080, 120, 16];
const DAYS_SHOWN = 90;

/** Orders per day of the last days, the newest last. A day that was not read is drawn as such, not as one without orders. */
export function dailyBars({ firstDay, states }: Calendar, orders: readonly number[]): Html {
  const from = Math.max(0, states.length - DAYS_SHOWN);
  const days = states.slice(from).map((state, index) => ({
    day: firstDay.add({ days: from + index }),
    isRead: state !== 'unverified',
    count: orders[from + index] ?? 0,
  }));
  const max = Math.max(1, ...days.map(({ count }) => count));
  const step = WIDTH / Math.max(days.length, 28);
  const bars = days.map(({ day, isRead, count }, index) => {
    const isUnread = !isRead && count === 0;
    const height = isUnread ? HEIGHT : count === 0 ? 1 : Math.max(2, (count / max) * HEIGHT);
    return html`<rect
      class="${isUnread ? 'unread' : 'count'}"
      x="${round(index * step)}"
      y="${round(HEIGHT - height)}"
      width="${round(step * 0.8)}"
      height="${round(height)}"
    >
      <title>${day.toString()}: ${isUnread ? 'not read yet' : counted(count, 'order')}</title>
    </rect>`;
  });
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const name = `Orders per day of the last ${counted(days.length, 'day')}: ${grouped(total)} in all, at most ${grouped(max)}`;
  return html`<p class="quiet">
      The last ${counted(days.length, 'day')}: ${counted(total, 'order')}, at most ${grouped(max)} on one day.
    </p>
    <svg class="daily" viewBox="0 0 ${WIDTH} ${HEIGHT + FOOT}" role="img" aria-label="${name}">
      ${bars}
      ${days.map(({ day }, index) =>
        day.day === 1
          ? html`<text x="${round(index * step)}" y="${HEIGHT + FOOT - 3}">${MONTHS[day.month - 1]}</text>`
          : '',
      )}
    </svg>`;
}

const round = (value: number) => Math.round(value * 10) / 10;
