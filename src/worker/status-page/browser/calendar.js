/** Says what is known of a day of the calendar: of the one under the pointer, or the one reached by arrow keys. */

const DAY_MS = 86_400_000;
const WORDS = {
  verified: 'verified',
  empty: 'verified, no order',
  due: 'due to be verified again',
  unverified: 'not read yet',
  failed: 'could not be verified',
};
const STEPS = /** @type {Record<string, number>} */ ({
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -7,
  ArrowRight: 7,
});
const HINT = 'Point at a day, or go to one with the arrow keys.';
const SVG = 'http://www.w3.org/2000/svg';

/** @returns {{ show(data: import('../shop-data-json.ts').ShopDataJson): void }} to be called with new data, and the calendar replaced */
export function watchCalendar() {
  const region = document.getElementById('calendar');
  const text = document.getElementById('day-text');
  /** @type {import('../shop-data-json.ts').ShopDataJson | undefined} */
  let data;
  /** @type {number | undefined} Days since 1970. */
  let chosen;

  const firstDay = () => (data?.first_day ? Date.parse(data.first_day) / DAY_MS : undefined);
  const choose = (/** @type {number | undefined} */ day) => {
    const first = firstDay();
    if (data === undefined || first === undefined || text === null) return;
    chosen = day === undefined ? undefined : Math.min(Math.max(day, first), first + data.states.length - 1);
    text.textContent = chosen === undefined ? HINT : describe(data, chosen - first, chosen);
    mark(chosen);
  };
  region?.addEventListener('pointermove', (event) => {
    const day = dayAt(event);
    if (day !== undefined) choose(day);
  });
  region?.addEventListener('keydown', (event) => {
    const step = STEPS[event.key];
    const first = firstDay();
    const isInside = event.target instanceof Element && event.target.id === 'calendar-days';
    if (step === undefined || first === undefined || data === undefined || !isInside) return;
    event.preventDefault();
    choose(chosen === undefined ? first + data.states.length - 1 : chosen + step);
  });
  return {
    show(/** @type {import('../shop-data-json.ts').ShopDataJson} */ next) {
      data = next;
      const days = document.getElementById('calendar-days');
      if (days === null) return;
      days.tabIndex = 0;
      days.setAttribute('role', 'group');
      days.setAttribute('aria-label', 'Calendar. Arrow keys go from day to day and from week to week.');
      choose(chosen);
    },
  };
}

/**
 * @param {import('../shop-data-json.ts').ShopDataJson} data
 * @param {number} index
 * @param {number} day
 */
function describe(data, index, day) {
  const date = new Date(day * DAY_MS);
  const name = date.toLocaleDateString('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
  const state = WORDS[data.states[index] ?? 'unverified'];
  const orders = data.orders[index] ?? 0;
  const sales = data.sales.flatMap(({ currency, revenue }) => {
    const amount = revenue[index] ?? 0;
    const figure = amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    return amount === 0 ? [] : [`${figure}${currency === null ? '' : ` ${currency}`}`];
  });
  const sold = sales.length === 0 ? '' : `, sales ${sales.join(', ')}`;
  return `${name}: ${state}, ${orders.toLocaleString('en')} ${orders === 1 ? 'order' : 'orders'}${sold}`;
}

/**
 * What the server wrote to each half-year's picture.
 *
 * @param {SVGSVGElement} svg
 */
function geometry({ dataset: { origin, from, to, pitch } }) {
  return { origin: Number(origin), from: Number(from), to: Number(to), pitch: Number(pitch) };
}

/** @param {PointerEvent} event */
function dayAt(event) {
  const svg = event.target instanceof Element ? event.target.closest('svg') : null;
  const matrix = svg?.getScreenCTM();
  if (!svg?.dataset['origin'] || !matrix) return undefined;
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  const { origin, from, to, pitch } = geometry(svg);
  const row = Math.floor(y / pitch);
  if (row < 0 || row > 6) return undefined;
  const day = origin + Math.floor(x / pitch) * 7 + row;
  return day < from || day > to ? undefined : day;
}

/** @param {number | undefined} day */
function mark(day) {
  for (const old of document.querySelectorAll('#calendar-days .cursor')) old.remove();
  if (day === undefined) return;
  for (const svg of document.querySelectorAll('#calendar-days svg')) {
    if (!(svg instanceof SVGSVGElement)) continue;
    const { origin, from, to, pitch } = geometry(svg);
    if (day < from || day > to) continue;
    const cursor = document.createElementNS(SVG, 'rect');
    const [x, y] = [Math.floor((day - origin) / 7) * pitch - 1, ((day - origin) % 7) * pitch - 1];
    const shape = { x, y, width: pitch, height: pitch, rx: 2 };
    for (const [name, value] of Object.entries(shape)) cursor.setAttribute(name, String(value));
    cursor.classList.add('cursor');
    svg.append(cursor);
    const folded = svg.closest('details');
    if (folded !== null) folded.open = true;
  }
}
