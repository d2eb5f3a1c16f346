/** What is wrong with several shops at once: told once, by its cause, and not below each of them. */
import { html } from 'hono/html';

import { counted, grouped } from '../../amount-text.ts';
import type { Problem } from '../../sync/report/run-problem.ts';
import { describeCondition, type ShopCondition } from '../../sync/report/shop-condition.ts';
import { findProblems } from '../../sync/report/shop-problems.ts';
import type { ShopStatusJson } from '../../sync/report/shop-report.ts';
import type { Html } from './text.ts';

/** A shop with what the list says of it. */
export type RatedShop = {
  readonly shop: ShopStatusJson;
  readonly condition: ShopCondition;
  /** Errors and warnings; what is about clocks and zones stands on the shop's own page. */
  readonly notes: readonly Problem[];
};

export function rate(shop: ShopStatusJson, now: Temporal.Instant): RatedShop {
  const notes = findProblems(shop, now).filter(({ weight, cause }) => weight !== 'task' && cause !== 'clock');
  return { shop, condition: describeCondition(shop, now), notes };
}

/** So many shops with one problem are told of it once. */
const MIN_SHARED = 3;

/** What is the same but for its figures, and for the shop that it names. @param shop its key */
export function kindOf({ cause, weight, what }: Problem, shop: string): string {
  const word = new RegExp(`(?<![\\w-])${RegExp.escape(shop)}(?![\\w-])`, 'g');
  return `${weight} ${cause ?? what.replaceAll(word, '#').replaceAll(/\d[\d.,:-]*/g, '#')}`;
}

export type SharedProblem = { readonly problem: Problem; readonly shops: readonly string[] };

/** Problems that several shops have, by their kind. */
export function findShared(rated: readonly RatedShop[]): ReadonlyMap<string, SharedProblem> {
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

export function sharedList(shared: readonly SharedProblem[]): Html | string {
  if (shared.length === 0) return '';
  const more = (count: number) => (count > 0 ? ` and ${grouped(count)} more` : '');
  return html`<ul class="problems card">
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
