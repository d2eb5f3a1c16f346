/** Keeps a page up to date: when the server says that something changed, the page is fetched and what differs replaced. */

/** Changes that come close together are shown at once. */
const QUIET_MS = 300;
/** At most this often. */
const EVERY_MS = 2_000;
const RECONNECT_MS = 5_000;

/** @param {string} id */
const byId = (id) => document.getElementById(id);

/**
 * @param {() => Promise<void> | void} onRefreshed called when the page has been brought up to date
 */
export function keepLive(onRefreshed) {
  const { root = '.', shop = '' } = document.body.dataset;
  /** @type {number | undefined} */
  let timer;
  let refreshedMs = 0;

  const refresh = async () => {
    timer = undefined;
    refreshedMs = performance.now();
    const response = await fetch(location.pathname).catch(() => undefined);
    if (response === undefined) return;
    if (!response.ok) {
      showTrouble((await response.text()).trim());
      return;
    }
    showTrouble('');
    replaceParts(new DOMParser().parseFromString(await response.text(), 'text/html'));
    await onRefreshed();
  };
  const schedule = () => {
    if (timer !== undefined) return;
    const waitMs = Math.max(QUIET_MS, EVERY_MS - (performance.now() - refreshedMs));
    timer = setTimeout(() => void refresh(), waitMs);
  };

  /** @type {EventSource | undefined} */
  let events;
  let isFirst = true;
  const connect = () => {
    if (document.hidden || (events !== undefined && events.readyState !== EventSource.CLOSED)) return;
    events = new EventSource(`${root}/events`);
    events.addEventListener('open', () => {
      showConnection(true);
      // What changed in between was not told.
      if (!isFirst) schedule();
      isFirst = false;
    });
    events.addEventListener('changed', ({ data }) => {
      /** @type {{ shops: string[] }} */
      const { shops } = JSON.parse(data);
      if (shop === '' || shops.length === 0 || shops.includes(shop)) schedule();
    });
    events.addEventListener('trouble', ({ data }) => {
      /** @type {{ text: string }} */
      const { text } = JSON.parse(data);
      showTrouble(text);
    });
    events.addEventListener('error', () => {
      showConnection(false);
      // After an answer that is no stream, browsers do not try again by themselves.
      if (events?.readyState === EventSource.CLOSED) setTimeout(connect, RECONNECT_MS);
    });
  };
  // A browser keeps six connections to one server at most: hidden pages leave them to those that are looked at.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) events?.close();
    else connect();
  });
  connect();
}

/** @param {boolean} isConnected */
function showConnection(isConnected) {
  const shown = byId('connection');
  if (shown === null) return;
  const text = isConnected ? 'Live' : 'Not connected, trying again';
  if (shown.textContent === text) return;
  const isChange = !shown.hidden;
  shown.hidden = false;
  shown.textContent = text;
  shown.classList.toggle('lost', !isConnected);
  if (isChange) announce(isConnected ? 'Connected again' : 'Connection lost, trying again');
}

/** @param {string} text a sentence; empty: there is none */
function showTrouble(text) {
  const shown = byId('trouble');
  if (shown === null) return;
  shown.hidden = text === '';
  if (shown.textContent !== text) shown.textContent = text;
}

/** @param {string} text */
function announce(text) {
  const announcer = byId('announcer');
  if (announcer !== null) announcer.textContent = text;
}

/** The markup of each part as the server sent it last: what scripts do to a part since is no difference. */
/** @type {Map<string, string>} */
const sent = new Map([...document.querySelectorAll('[data-live]')].map((part) => [part.id, part.innerHTML]));

/** @param {Document} next */
function replaceParts(next) {
  const before = readStates(document);
  for (const part of document.querySelectorAll('[data-live]')) {
    const markup = next.getElementById(part.id)?.innerHTML;
    if (markup === undefined || sent.get(part.id) === markup) continue;
    const focused = part.contains(document.activeElement) ? pathTo(document.activeElement, part) : undefined;
    const open = new Map([...part.querySelectorAll('details')].map(({ id, open }) => [id, open]));
    part.innerHTML = markup;
    sent.set(part.id, markup);
    for (const details of part.querySelectorAll('details'))
      details.open = open.get(details.id) ?? details.open;
    if (focused !== undefined) refocus(focused, part);
  }
  document.title = next.title;
  announceChanges(before, readStates(document));
}

/**
 * The state of each shop on a page.
 *
 * @param {Document} page
 */
function readStates(page) {
  /** @type {NodeListOf<HTMLElement>} */
  const shops = page.querySelectorAll('[data-word]');
  return new Map([...shops].map(({ dataset: { shop = '', word, state = '' } }) => [shop, { word, state }]));
}

/**
 * @param {ReturnType<typeof readStates>} before
 * @param {ReturnType<typeof readStates>} after
 */
function announceChanges(before, after) {
  const changed = [...after].filter(([key, { word }]) => before.has(key) && before.get(key)?.word !== word);
  const [first] = changed;
  if (first === undefined) return;
  const [key, { state }] = first;
  announce(changed.length === 1 ? `${key}: ${state}` : `${changed.length} shops changed their state`);
}

/**
 * Where an element is inside of another one: its key if it has one, else its place.
 *
 * @param {Element | null} element
 * @param {Element} part
 */
function pathTo(element, part) {
  const selector = 'a, summary, [tabindex]';
  const href = element?.getAttribute('href');
  const index = element === null ? -1 : [...part.querySelectorAll(selector)].indexOf(element);
  return { selector, href, index };
}

/**
 * @param {ReturnType<typeof pathTo>} path
 * @param {Element} part
 */
function refocus({ selector, href, index }, part) {
  /** @type {NodeListOf<HTMLElement>} */
  const candidates = part.querySelectorAll(selector);
  const same = href ? [...candidates].find((each) => each.getAttribute('href') === href) : candidates[index];
  same?.focus({ preventScroll: true });
}
