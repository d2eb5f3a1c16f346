/** How charts look. */

const HEIGHT = 200;
/** Between the labels of what is counted. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((power) => step * 10 ** power))
  .toSorted((a, b) => a - b);

/**
 * A colour of the page's style as a canvas understands it, which knows nothing of custom properties.
 *
 * @param {string} name
 */
function color(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Between the labels of days, of which there are none in between. */
const DAY_STEPS = [1, 2, 7, 14, 28, 61, 91, 183, 365, 730, 1826].map((days) => days * 86_400);
/** @type {import('uplot').Axis.Values} Labels by the seconds between them; the rest is of times of day. */
const DAY_LABELS = [
  [28 * 86_400, '{MMM} {YYYY}', null, null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
];

/**
 * @param {string} title
 * @param {number} digits of the values, after the point
 * @param {number} width
 * @returns {import('uplot').Options}
 */
export function chartOptions(title, digits, width) {
  const format = (/** @type {number | null} */ value) =>
    value === null
      ? '–'
      : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const short = new Intl.NumberFormat('en', { notation: 'compact' });
  const axis = {
    stroke: color('--quiet'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const mean = new Intl.NumberFormat('en', { maximumFractionDigits: digits === 0 ? 1 : digits });
  return {
    width,
    height: HEIGHT,
    // Days have no zone.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 28,
        incrs: DAY_STEPS,
        values: DAY_LABELS,
      },
      {
        ...axis,
        size: 56,
        ...(digits === 0 && { incrs: WHOLE_STEPS }),
        values: (_, ticks) => ticks.map((tick) => short.format(tick)),
      },
    ],
    series: [
      { label: 'Day', value: '{YYYY}-{MM}-{DD}' },
      {
        label: title,
        stroke: color('--bar'),
        fill: color('--bar'),
        width: 0,
        points: { show: false },
        ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.8, 40] }) }),
        value: (_, value) => format(value),
      },
      {
        label: '7-day average',
        stroke: color('--accent'),
        width: 2,
        points: { show: false },
        value: (_, value) => (value === null ? '–' : mean.format(value)),
      },
    ],
  };
}
