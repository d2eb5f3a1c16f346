/** Lists only shops whose key or state contains what was typed. */

/** @returns {() => void} applies the filter again, when the list was replaced */
export function watchFilter() {
  const form = document.getElementById('filter');
  /** @type {HTMLInputElement | null} */
  const input = document.querySelector('input#q');
  if (form === null || input === null) return () => undefined;
  const apply = () => {
    const needle = input.value.trim().toLowerCase();
    let shown = 0;
    /** @type {NodeListOf<HTMLElement>} */
    const shops = document.querySelectorAll('tbody[data-shop]');
    for (const body of shops) {
      const { shop = '', state = '' } = body.dataset;
      body.hidden = !`${shop} ${state}`.toLowerCase().includes(needle);
      if (!body.hidden) shown++;
    }
    const none = document.getElementById('no-match');
    if (none !== null) none.hidden = shops.length === 0 || shown > 0;
    /** @type {HTMLElement | null} */
    const table = document.querySelector('table.shops');
    if (table !== null) table.hidden = shown === 0;
  };
  form.classList.add('scripted');
  input.addEventListener('input', () => {
    const query = input.value === '' ? '' : `?q=${encodeURIComponent(input.value)}`;
    history.replaceState(null, '', `${location.pathname}${query}`);
    apply();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  // The server filtered already: with all shops at hand, typing can widen the filter too.
  if (input.value !== '') void listAll().then(apply);
  return apply;
}

async function listAll() {
  const response = await fetch(location.pathname).catch(() => undefined);
  if (!response?.ok) return;
  const all = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('shops');
  const shown = document.getElementById('shops');
  if (all !== null && shown !== null) shown.innerHTML = all.innerHTML;
}
