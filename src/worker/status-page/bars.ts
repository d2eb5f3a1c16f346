import { html } from 'hono/html';

import { grouped } from '../../amount-text.ts';
import { dataTable, type Html } from './text.ts';

/** A bar for a cell of a table, which says the figure itself. */
export function bar(value: number, max: number): Html {
  const width = max === 0 ? 0 : Math.round((value / max) * 1000) / 10;
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect width="${width}" height="8" />
  </svg>`;
}

const [WIDTH, HEIGHT] = [480, 90];

/** Requests per hour, the current hour last. */
export function hourBars(counts: readonly number[], now: Temporal.Instant): Html {
  const max = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  const name = (index: number) => {
    const hour = now.subtract({ hours: counts.length - 1 - index }).toZonedDateTimeISO('UTC').hour;
    return `${String(hour).padStart(2, '0')}:00`;
  };
  return html`<svg
      class="hours"
      viewBox="0 0 ${WIDTH} ${HEIGHT + 16}"
      role="img"
      aria-label="Requests per hour: at most ${grouped(max)}"
    >
      ${counts.map((count, index) => {
        const height = count === 0 ? 1 : Math.max(2, (count / max) * HEIGHT);
        return html`<rect
          x="${index * step + 1}"
          y="${HEIGHT - height}"
          width="${step - 2}"
          height="${height}"
        >
          <title>${name(index)} ${grouped(count)} requests</title>
        </rect>`;
      })}
      ${counts.map((_, index) =>
        index % 6 === 0 ? html`<text x="${index * step}" y="${HEIGHT + 13}">${name(index)}</text>` : '',
      )}
    </svg>
    <div class="unseen">
      ${dataTable(
        [['Hour'], ['Requests']],
        counts.map((count, index) => [name(index), grouped(count)]),
        'Requests per hour of the last 24 hours',
      )}
    </div>`;
}
