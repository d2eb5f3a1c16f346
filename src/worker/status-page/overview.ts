import { html } from 'hono/html';

import { nextStep } from '../../model/next-step.ts';
import { CONDITIONS, describeCondition, type ShopCondition } from '../../sync/report/shop-condition.ts';
import { findProblems, type Problem } from '../../sync/report/shop-problems.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import { NOT_YET, shownFigures } from '../../sync/report/shown-figures.ts';
import { counted, grouped } from '../../model/amount-text.ts';
import { ago, dataTable, type Html, layout, type PageContext, problemText } from './layout.ts';

/** A shop with what the list says of it. */
type RatedShop = {
  readonly shop: ShopStatusJson;
  readonly condition: ShopCondition;
  readonly errors: readonly Problem[];
  /** How many; what they are stands on the shop's own page, which alone has those about clocks and zones. */
  readonly warnings: number;
};

/** The page of all shops, those that need somebody first. */
export function overviewPage(shops: readonly ShopStatusJson[], context: PageContext): Html {
  const listed = shops
    .map((shop) => rate(shop, context.now))
    .toSorted((one, other) => rank(one) - rank(other));
  const failing = listed.filter(({ condition }) => condition.word === 'failing').length;
  const main = html`
    <h1>Shops</h1>
    ${listed.length === 0 ? NO_SHOP : html`${summary(listed)} ${shopTable(listed, context.now)}`}
  `;
  return layout(context, {
    title: failing === 0 ? 'order-sync' : `(${failing}) order-sync`,
    root: '.',
    main,
  });
}

function rate(shop: ShopStatusJson, now: Temporal.Instant): RatedShop {
  const problems = findProblems(shop, now);
  return {
    shop,
    condition: describeCondition(shop, now),
    errors: problems.filter(({ weight }) => weight === 'error'),
    warnings: problems.filter(({ weight, cause }) => weight === 'warning' && cause !== 'clock').length,
  };
}

/** By state; of one state, those with an error first, then those with a warning. */
function rank({ condition, errors, warnings }: RatedShop): number {
  const weight = errors.length > 0 ? 0 : warnings > 0 ? 1 : 2;
  return CONDITIONS.indexOf(condition.word) * 3 + weight;
}

function summary(rated: readonly RatedShop[]): Html {
  const counts = CONDITIONS.flatMap((word) => {
    const count = rated.filter(({ condition }) => condition.word === word).length;
    const text = `${grouped(count)} ${word.replace('-', ' ')}`;
    return count === 0 ? [] : [html`<li><span class="state ${word}">${text}</span></li>`];
  });
  const warned = rated.filter(({ warnings }) => warnings > 0).length;
  return html`<ul class="row">
    <li>${counted(rated.length, 'shop')}</li>
    ${counts} ${warned === 0 ? '' : html`<li>${grouped(warned)} with warnings</li>`}
  </ul>`;
}

const NO_SHOP = html`<p class="card quiet">
  No shop has been swept yet. A worker begins within a minute after it starts; without one,
  <code>${nextStep('load shop')}</code> loads the shop of your settings.
</p>`;

/** Below each shop, its errors. */
function shopTable(listed: readonly RatedShop[], now: Temporal.Instant): Html {
  const rows = listed.map(({ shop, condition, warnings }) => {
    const { completeThrough, daysDue, orders, rejections } = shownFigures(shop);
    const state = html`<span class="state ${condition.word}">${condition.text}</span>
      ${warnings === 0 ? '' : html`<span class="warn">${counted(warnings, 'warning')}</span>`}`;
    const link = html`<a href="./shops/${shop.shop}">${shop.shop}</a>`;
    const verified = ago(shop.newest_verified_at, now);
    return [link, state, completeThrough, verified, daysDue, orders, rejections, lastRun(shop, now)];
  });
  const notes = listed.map(({ errors }) => errors.map(problemText));
  return html`<div class="card">
    ${dataTable(
      'Shops, those that need attention first',
      [
        ['Shop', 'words'],
        ['State', 'words'],
        ['Complete through', 'wide'],
        ['Verified', 'wide'],
        ['Days due', 'number wide'],
        ['Orders', 'number'],
        ['Rejections', 'number wide'],
        ['Last run', 'wide'],
      ],
      rows,
      notes,
    )}
  </div>`;
}

function lastRun({ runs: [last] }: ShopStatusJson, now: Temporal.Instant): Html | string {
  if (last === undefined) return NOT_YET;
  if (last.finished_at === null) return `${last.kind} running, ${grouped(last.orders_new)} new`;
  return html`${last.kind} ${last.status}, ${ago(last.finished_at, now)}`;
}
