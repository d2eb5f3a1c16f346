import { html } from 'hono/html';

import type { ShopCondition } from '../../sync/report/shop-condition.ts';
import { findProblems } from '../../sync/report/shop-problems.ts';
import type { ShopStatusJson } from '../../sync/report/shop-status-json.ts';
import { grouped } from '../../amount-text.ts';
import { ago, type Html, withCode } from './text.ts';

/** Headings and CSS classes of the cells in `shopRows`; `wide` ones are left out on a narrow screen. */
export const SHOP_COLUMNS = [
  ['Shop', ''],
  ['State', ''],
  ['Complete through', 'moment'],
  ['Verified', 'moment wide'],
  ['Days due', 'number wide'],
  ['Orders', 'number'],
  ['Rejections', 'number wide'],
  ['Last run', 'moment wide'],
] as const;

/** A shop's row of the table, followed by one for each error and warning. */
export function shopRows(
  { shop, condition }: { readonly shop: ShopStatusJson; readonly condition: ShopCondition },
  now: Temporal.Instant,
): Html {
  const { word, text } = condition;
  const notes = findProblems(shop, now).filter(({ weight }) => weight !== 'task');
  const wide = (figure: number | null) =>
    html`<td class="number wide">${figure === null ? '–' : grouped(figure)}</td>`;
  return html`<tbody data-shop="${shop.shop}" data-state="${text}" data-word="${word}">
    <tr>
      <th scope="row"><a href="./shops/${shop.shop}">${shop.shop}</a></th>
      <td><span class="state ${word}">${text}</span></td>
      <td class="moment through">${shop.complete_through ?? '–'}</td>
      <td class="moment wide">${ago(shop.newest_verified_at, now)}</td>
      ${wide(shop.days_due)}
      <td class="number orders">${grouped(countOrders(shop))}</td>
      ${wide(shop.open_rejections)}
      <td class="moment wide">${lastRun(shop, now)}</td>
    </tr>
    ${notes.map(
      ({ weight, what, advice }) =>
        html`<tr class="note">
          <td colspan="${SHOP_COLUMNS.length}" class="${weight}">${what} ${withCode(advice)}</td>
        </tr>`,
    )}
  </tbody>`;
}

/** A long run counts them once a minute; until it has, what it loaded itself is known. */
function countOrders({ orders, runs: [last] }: ShopStatusJson): number {
  return last?.finished_at === null ? Math.max(orders, last.orders_new) : orders;
}

function lastRun({ runs: [last] }: ShopStatusJson, now: Temporal.Instant): Html | string {
  if (last === undefined) return 'none yet';
  if (last.finished_at === null) return `${last.kind} running, ${grouped(last.orders_new)} new`;
  return html`${last.kind} ${last.status}, ${ago(last.finished_at, now)}`;
}
