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
  const main = html`
    <h1>Shops</h1>
    ${summary(rated)}
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
              ${listed.map((each) => shopRows(each, context.now))}
            </table>`
      }
    </div>
  `;
  const failing = rated.filter(({ condition }) => condition.word === 'failing').length;
  const title = failing === 0 ? 'order-sync' : `(${failing}) order-sync`;
  return layout(context, { title, root: '.', main });
}

/** By state; of one state, those with an error first, then those with a warning. */
function rank({ condition, errors, warnings }: RatedShop): number {
  const weight = errors.length > 0 ? 0 : warnings > 0 ? 1 : 2;
  return CONDITIONS.indexOf(condition.word) * 3 + weight;
}

function summary(rated: readonly RatedShop[]): Html | string {
  if (rated.length === 0) return '';
  const counts = CONDITIONS.flatMap((word) => {
    const count = rated.filter(({ condition }) => condition.word === word).length;
    const text = `${grouped(count)} ${WORDS[word]}`;
    return count === 0 ? [] : [html`<li><span class="state ${word}">${text}</span></li>`];
  });
  const warned = rated.filter(({ warnings }) => warnings > 0).length;
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

/** A shop's row of the table, followed by one for each error. What its warnings are stands on its own page. */
function shopRows({ shop, condition, errors, warnings }: RatedShop, now: Temporal.Instant): Html {
  const { word, text } = condition;
  const { completeThrough, daysDue, orders, rejections } = shownFigures(shop);
  return html`<tbody data-shop="${shop.shop}">
    <tr>
      <th scope="row"><a href="./shops/${shop.shop}">${shop.shop}</a></th>
      <td>
        <span class="state ${word}">${text}</span>
        ${warnings === 0 ? '' : html`<span class="sub">${counted(warnings, 'warning')}</span>`}
      </td>
      <td class="moment wide">${completeThrough}</td>
      <td class="moment wide">${ago(shop.newest_verified_at, now)}</td>
      <td class="number wide">${daysDue}</td>
      <td class="number">${orders}</td>
      <td class="number wide">${rejections}</td>
      <td class="moment wide">${lastRun(shop, now)}</td>
    </tr>
    ${errors.map(
      ({ what, advice }) =>
        html`<tr class="note">
          <td colspan="${SHOP_COLUMNS.length}" class="error">${what} ${withCode(advice)}</td>
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
  readonly errors: readonly Problem[];
  /** How many; what is about clocks and zones stands on the shop's own page. */
  readonly warnings: number;
};

function rate(shop: ShopStatusJson, now: Temporal.Instant): RatedShop {
  const problems = findProblems(shop, now);
  return {
    shop,
    condition: describeCondition(shop, now),
    errors: problems.filter(({ weight }) => weight === 'error'),
    warnings: problems.filter(({ weight, cause }) => weight === 'warning' && cause !== 'clock').length,
  };
}
