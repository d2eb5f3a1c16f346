import { html } from 'hono/html';

import { nextStep } from '../../model/next-step.ts';
import type { Problem } from '../../sync/report/run-problem.ts';
import { CONDITIONS, describeCondition, type ShopCondition } from '../../sync/report/shop-condition.ts';
import { findProblems } from '../../sync/report/shop-problems.ts';
import { layout, type PageContext } from './layout.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { NOT_YET, shownFigures } from '../../sync/report/shown-figures.ts';
import { counted, grouped } from '../../model/amount-text.ts';
import { ago, type Html, withCode } from './text.ts';
const WORDS: Readonly<Record<ShopCondition['word'], string>> = {
  failing: 'failing',
  new: 'new',
  'catching-up': 'catching up',
  paused: 'paused',
  complete: 'complete',
};

/** The page of all shops, those that need somebody first. */
export function overviewPage(shops: readonly ShopStatusJson[], context: PageContext): Html {
  const rated = shops.map((shop) => rate(shop, context.now));
  const listed = rated.toSorted((one, other) => rank(one) - rank(other));
  const shared = findShared(rated);
  const main = html`
    <h1>Shops</h1>
    ${summary(rated)} ${sharedList([...shared.values()])}
    <div class="card">
      ${
        listed.length === 0
          ? NO_SHOP
          : html`<table class="shops">
              <caption class="unseen">
                Shops, those that need somebody first
              </caption>
              <thead>
                <tr>
                  ${SHOP_COLUMNS.map(([name, kind]) => html`<th scope="col" class="${kind}">${name}</th>`)}
                </tr>
              </thead>
              ${listed.map((each) => shopRows(each, shared, context.now))}
            </table>`
      }
    </div>
  `;
  const failing = rated.filter(({ condition }) => condition.word === 'failing').length;
  const title = failing === 0 ? 'order-sync' : `(${failing}) order-sync`;
  return layout(context, { title, root: '.', main });
}

/** By state; of one state, those with an error first, then those with a warning. */
function rank({ condition, notes }: RatedShop): number {
  const weight = notes.some((note) => note.weight === 'error') ? 0 : notes.length > 0 ? 1 : 2;
  return CONDITIONS.indexOf(condition.word) * 3 + weight;
}

function summary(rated: readonly RatedShop[]): Html | string {
  if (rated.length === 0) return '';
  const counts = CONDITIONS.flatMap((word) => {
    const count = rated.filter(({ condition }) => condition.word === word).length;
    const text = `${grouped(count)} ${WORDS[word]}`;
    return count === 0 ? [] : [html`<li><span class="state ${word}">${text}</span></li>`];
  });
  const warned = rated.filter(
    ({ condition, notes }) => condition.word !== 'failing' && notes.length > 0,
  ).length;
  return html`<ul class="summary">
    <li>${counted(rated.length, 'shop')}</li>
    ${counts} ${warned === 0 ? '' : html`<li>${grouped(warned)} with warnings</li>`}
  </ul>`;
}

const NO_SHOP = html`<p class="empty">
  No shop has been swept yet. A worker begins within a minute after it starts; without one,
  <code>${nextStep('load shop')}</code> loads the shop of your settings.
</p>`;

/** Headings and CSS classes of the cells in `shopRows`; `wide` ones are left out on a narrow screen. */
const SHOP_COLUMNS = [
  ['Shop', ''],
  ['State', ''],
  ['Complete through', 'moment wide'],
  ['Verified', 'moment wide'],
  ['Days due', 'number wide'],
  ['Orders', 'number'],
  ['Rejections', 'number wide'],
  ['Last run', 'moment wide'],
] as const;

/**
 * A shop's row of the table, followed by one for each error and warning that it does not share with others. What to do
 * about a warning stands on the shop's own page.
 */
function shopRows(
  { shop, condition, notes }: RatedShop,
  shared: ReadonlyMap<string, SharedProblem>,
  now: Temporal.Instant,
): Html {
  const { word, text } = condition;
  const own = notes.filter((note) => !shared.has(kindOf(note, shop.shop)));
  const { completeThrough, daysDue, orders, rejections } = shownFigures(shop);
  return html`<tbody data-shop="${shop.shop}">
    <tr>
      <th scope="row"><a href="./shops/${shop.shop}">${shop.shop}</a></th>
      <td><span class="state ${word}">${text}</span></td>
      <td class="moment wide">${completeThrough}</td>
      <td class="moment wide">${ago(shop.newest_verified_at, now)}</td>
      <td class="number wide">${daysDue}</td>
      <td class="number">${orders}</td>
      <td class="number wide">${rejections}</td>
      <td class="moment wide">${lastRun(shop, now)}</td>
    </tr>
    ${own.map(
      ({ weight, what, advice }) =>
        html`<tr class="note">
          <td colspan="${SHOP_COLUMNS.length}" class="${weight}">
            ${what} ${weight === 'error' ? withCode(advice) : ''}
          </td>
        </tr>`,
    )}
  </tbody>`;
}

function lastRun({ runs: [last] }: ShopStatusJson, now: Temporal.Instant): Html | string {
  if (last === undefined) return NOT_YET;
  if (last.finished_at === null) return `${last.kind} running, ${grouped(last.orders_new)} new`;
  return html`${last.kind} ${last.status}, ${ago(last.finished_at, now)}`;
}

/** A shop with what the list says of it. */
type RatedShop = {
  readonly shop: ShopStatusJson;
  readonly condition: ShopCondition;
  /** Errors and warnings; what is about clocks and zones stands on the shop's own page. */
  readonly notes: readonly Problem[];
};

function rate(shop: ShopStatusJson, now: Temporal.Instant): RatedShop {
  const notes = findProblems(shop, now).filter(({ weight, cause }) => weight !== 'task' && cause !== 'clock');
  return { shop, condition: describeCondition(shop, now), notes };
}

/** What is wrong with so many shops at once is told once, by its cause, and not below each of them. */
const MIN_SHARED = 3;

/** What is the same but for its figures, and for the shop that it names. @param shop its key */
function kindOf({ cause, weight, what }: Problem, shop: string): string {
  const word = new RegExp(`(?<![\\w-])${RegExp.escape(shop)}(?![\\w-])`, 'g');
  return `${weight} ${cause ?? what.replaceAll(word, '#').replaceAll(/\d[\d.,:-]*/g, '#')}`;
}

type SharedProblem = { readonly problem: Problem; readonly shops: readonly string[] };

/** Problems that several shops have, by their kind. */
function findShared(rated: readonly RatedShop[]): ReadonlyMap<string, SharedProblem> {
  const all = rated.flatMap(({ notes, shop }) => notes.map((problem) => ({ problem, shop: shop.shop })));
  const kinds = Map.groupBy(all, ({ problem, shop }) => kindOf(problem, shop));
  return new Map(
    [...kinds].flatMap(([kind, found]) => {
      const shops = [...new Set(found.map(({ shop }) => shop))];
      const [first] = found;
      return first === undefined || shops.length < MIN_SHARED
        ? []
        : [[kind, { problem: first.problem, shops }]];
    }),
  );
}

/** Long lists of names say no more than their number. */
const NAMES_SHOWN = 12;

function sharedList(shared: readonly SharedProblem[]): Html | string {
  if (shared.length === 0) return '';
  const more = (count: number) => (count > 0 ? ` and ${grouped(count)} more` : '');
  return html`<ul class="problems shared card">
    ${shared.map(
      ({ problem: { weight, what }, shops }) =>
        html`<li class="${weight}">
          <strong>${counted(shops.length, 'shop')}, such as ${shops[0]}: ${what}</strong>
          ${shops
            .slice(0, NAMES_SHOWN)
            .map(
              (key, index) => html`${index === 0 ? '' : ', '}<a href="./shops/${key}">${key}</a>`,
            )}${more(shops.length - NAMES_SHOWN)}
        </li>`,
    )}
  </ul>`;
}
