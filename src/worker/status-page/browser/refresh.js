/** Keeps an open page up to date: it is fetched again, and `<main>` replaced where the server sent something else. */

const EVERY_MS = 15_000;
const UNREACHABLE =
  'This page is not up to date: the worker does not answer. It is tried again every 15 seconds.';

/** What the server sent last: what a reader has opened since is no difference. */
let shown = mainOf(document)?.innerHTML;

/** @param {Document} page */
function mainOf(page) {
  return page.querySelector('main');
}

async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.href).catch(() => undefined);
  if (response === undefined) return showTrouble(UNREACHABLE);
  const text = await response.text();
  if (!response.ok) return showTrouble(text.trim());
  showTrouble('');
  const next = new DOMParser().parseFromString(text, 'text/html');
  document.title = next.title;
  const asOf = document.getElementById('as-of');
  if (asOf !== null) asOf.textContent = next.getElementById('as-of')?.textContent ?? '';
  replaceMain(next);
}

/** @param {Document} next */
function replaceMain(next) {
  const [main, markup] = [mainOf(document), mainOf(next)?.innerHTML];
  if (main === null || markup === undefined || markup === shown) return;
  const focused = document.activeElement;
  const open = new Map([...main.querySelectorAll('details')].map(({ id, open }) => [id, open]));
  const place = focused === null || !main.contains(focused) ? -1 : focusable(main).indexOf(focused);
  main.innerHTML = markup;
  shown = markup;
  for (const details of main.querySelectorAll('details')) details.open = open.get(details.id) ?? details.open;
  const same = focusable(main)[place];
  if (same instanceof HTMLElement) same.focus({ preventScroll: true });
}

/** @param {Element} main */
function focusable(main) {
  return [...main.querySelectorAll('a, summary, [tabindex]')];
}

/** @param {string} text a sentence; empty: there is none */
function showTrouble(text) {
  const trouble = document.getElementById('trouble');
  if (trouble === null || trouble.textContent === text) return;
  trouble.textContent = text;
  trouble.hidden = text === '';
}

setInterval(() => void refresh(), EVERY_MS);
document.addEventListener('visibilitychange', () => void refresh());
