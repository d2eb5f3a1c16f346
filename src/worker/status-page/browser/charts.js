/** Orders and sales per day. The table by month has the same for whoever does not see them. */

const DAY_S = 86_400;
/** Days of the moving average. */
const WEEK = 7;
/** Shops sell in few currencies; the table by month has them all. */
const CURRENCIES_SHOWN = 3;
/** A currency that is sold in on fewer days, compared with the main one, has no chart. */
const MIN_SHARE = 0.1;

/** @typedef {{ key: string, title: string, values: readonly number[], digits: number }} Series */

/** @returns {{ show(data: import('../shop-data-json.ts').ShopDataJson): void }} */
export function drawCharts() {
  const place = document.getElementById('charts');
  const ranges = document.getElementById('ranges');
  /** @type {Map<string, { plot: import('uplot'), box: HTMLElement }>} */
  const charts = new Map();
  /** @type {import('../shop-data-json.ts').ShopDataJson | undefined} */
  let data;
  let days = 90;

  const update = () => {
    if (data === undefined || place === null || data.first_day === null || isEmpty(data)) return;
    const first = Date.parse(data.first_day) / 1000;
    const times = data.states.map((_, index) => first + index * DAY_S);
    const shown = toSeries(data);
    for (const [key, { plot, box }] of charts) {
      if (shown.some((series) => series.key === key)) continue;
      plot.destroy();
      box.remove();
      charts.delete(key);
    }
    for (const series of shown) {
      const known = charts.get(series.key) ?? addChart(place, series);
      charts.set(series.key, known);
      known.plot.setData([times, [...series.values], average(series.values)], false);
      showRange(known.plot, times, days);
      // uPlot draws, and resets what it says, after this.
      queueMicrotask(() => showLast(known.plot));
      known.box.setAttribute('aria-label', summarize(series, times, days));
    }
  };
  const redraw = () => {
    for (const { plot, box } of charts.values()) {
      plot.destroy();
      box.remove();
    }
    charts.clear();
    update();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  addEventListener('resize', () => {
    for (const { plot, box } of charts.values())
      plot.setSize({ width: box.clientWidth, height: plot.height });
  });
  ranges?.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    for (const button of ranges.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button === target));
    }
    days = target.dataset['days'] === 'all' ? Infinity : Number(target.dataset['days']);
    update();
  });
  return {
    show(/** @type {import('../shop-data-json.ts').ShopDataJson} */ next) {
      data = next;
      if (ranges !== null) ranges.hidden = isEmpty(next);
      update();
    },
  };
}

/** @param {import('../shop-data-json.ts').ShopDataJson} data */
const isEmpty = ({ orders }) => orders.every((count) => count === 0);

/**
 * @param {import('../shop-data-json.ts').ShopDataJson} data
 * @returns {Series[]}
 */
function toSeries({ orders, sales }) {
  const used = sales.map(({ revenue }) => revenue.filter((amount) => amount > 0).length);
  const usual = sales.filter((_, index) => (used[index] ?? 0) >= MIN_SHARE * (used[0] ?? 0));
  const shown = usual.slice(0, CURRENCIES_SHOWN).map(({ currency, revenue }) => ({
    key: `sales ${currency ?? ''}`,
    title: currency === null ? 'Sales' : `Sales, ${currency}`,
    values: revenue,
    digits: 2,
  }));
  return [{ key: 'orders', title: 'Orders', values: orders, digits: 0 }, ...shown];
}

/**
 * @param {HTMLElement} place
 * @param {Series} series
 */
function addChart(place, { key, title, digits }) {
  const box = document.createElement('div');
  box.className = 'chart';
  box.dataset['chart'] = key;
  box.setAttribute('role', 'img');
  place.append(box);
  return { plot: new uPlot(chartOptions(title, digits, box.clientWidth), [[], [], []], box), box };
}

/**
 * The latest day, until somebody points at another one.
 *
 * @param {import('uplot')} plot
 */
function showLast(plot) {
  if (plot.cursor.idx == null) plot.setLegend({ idx: plot.data[0].length - 1 });
}

/**
 * @param {import('uplot')} plot
 * @param {readonly number[]} times
 * @param {number} days
 */
function showRange(plot, times, days) {
  const last = times.at(-1) ?? 0;
  const min = Math.max(times[0] ?? 0, last - (days - 1) * DAY_S);
  plot.setScale('x', { min: min - DAY_S / 2, max: last + DAY_S / 2 });
}

/**
 * The mean of each day and the six before it.
 *
 * @param {readonly number[]} values
 */
function average(values) {
  let sum = 0;
  return values.map((value, index) => {
    sum += value - (values[index - WEEK] ?? 0);
    return index < WEEK - 1 ? null : sum / WEEK;
  });
}

/**
 * @param {Series} series
 * @param {readonly number[]} times
 * @param {number} days
 */
function summarize({ title, values }, times, days) {
  const shown = values.slice(-Math.min(days, values.length));
  const total = shown.reduce((sum, value) => sum + value, 0);
  const from = new Date((times[values.length - shown.length] ?? 0) * 1000).toISOString().slice(0, 10);
  const figure = total.toLocaleString('en', { maximumFractionDigits: 0 });
  return `${title} per day since ${from}: ${figure} in ${shown.length} days. The table by month has the figures.`;
}

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
function chartOptions(title, digits, width) {
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
