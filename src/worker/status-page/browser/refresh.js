/** Keeps an open page up to date: it is fetched again, and `<main>` replaced where the server sent something else. */

const EVERY_MS = 15_000;
const UNREACHABLE =
  'This page is not up to date: the worker does not answer. The page retries every 15 seconds.';

/** What the server sent last: what a reader has opened since is no difference. */
let shown = document.querySelector('main')?.innerHTML;

async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.href).catch(() => undefined);
  if (response === undefined) return showTrouble(UNREACHABLE);
  const next = new DOMParser().parseFromString(await response.text(), 'text/html');
  const markup = next.querySelector('main')?.innerHTML;
  // What is missing is said by a page; trouble is plain text, or what a proxy says.
  if (markup === undefined) return showTrouble(next.body.textContent.trim());
  showTrouble('');
  document.title = next.title;
  document.getElementById('as-of')?.replaceWith(next.getElementById('as-of') ?? '');
  if (markup !== shown) replaceMain(markup);
}

/** What is open stays open, and the focus where it is. @param {string} markup */
function replaceMain(markup) {
  const main = document.querySelector('main');
  if (main === null) return;
  const focusable = () => [...main.querySelectorAll('a, summary, [tabindex]')];
  const open = new Map([...main.querySelectorAll('details')].map(({ id, open }) => [id, open]));
  const place = focusable().findIndex((each) => each === document.activeElement);
  main.innerHTML = shown = markup;
  for (const details of main.querySelectorAll('details')) details.open = open.get(details.id) ?? details.open;
  const same = focusable()[place];
  if (same instanceof HTMLElement) same.focus({ preventScroll: true });
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
