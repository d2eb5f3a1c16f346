import { html } from 'hono/html';

import { utcText } from '../../sync/run/throttle-state.ts';
import type { ShopStatusJson } from './status-json.ts';
import { describeCondition } from '../shop-condition.ts';

/** Headings and CSS classes of the cells in `shopRows`. */
export const SHOP_COLUMNS = [
  ['Shop', ''],
  ['State', ''],
  ['Complete through', 'moment'],
  ['Newest day verified', 'moment'],
  ['Days due', 'number'],
  ['Orders', 'number'],
  ['Without lines', 'number'],
  ['Open rejections', 'number'],
  ['Last look', 'moment'],
  ['Last recorded run', 'moment'],
] as const;

/** A shop's row of the table, followed by a row for each problem. */
export function shopRows(shop: ShopStatusJson, now: Temporal.Instant) {
  const { word, text } = describeCondition(shop, now);
  return html`<tbody>
    <tr>
      <th scope="row">${shop.shop}</th>
      <td class="state ${word}">${text}</td>
      <td class="moment">${shop.complete_through ?? '–'}</td>
      <td class="moment">${moment(shop.newest_verified_at)}</td>
      ${[shop.days_due, shop.orders, shop.orders_without_lines, shop.open_rejections].map(
        (figure) => html`<td class="number">${figure?.toLocaleString('en') ?? '–'}</td>`,
      )}
      <td class="moment">${moment(shop.looked_at)}</td>
      <td class="moment">${lastRun(shop)}</td>
    </tr>
    ${notes(shop).map(
      (note) =>
        html`<tr class="note">
          <td></td>
          <td colspan="${SHOP_COLUMNS.length - 1}">${note}</td>
        </tr>`,
    )}
  </tbody>`;
}

function lastRun({ runs: [last] }: ShopStatusJson): string {
  if (last === undefined) return 'none yet';
  const when = last.finished_at === null ? `since ${moment(last.started_at)}` : moment(last.finished_at);
  return `${last.kind} ${last.status}, ${when}`;
}

/** Sentences about problems of a shop. */
function notes({ runs, throttle, is_replay_due, clock_warning }: ShopStatusJson): readonly string[] {
  // A running run does not replace the result of the one before it.
  const ended = runs.find(({ status }) => status !== 'running');
  const why =
    ended?.error && ended.status !== 'ok' ? [`Last ${ended.kind} ${ended.status}: ${ended.error}`] : [];
  const away = throttle && throttle.circuit !== 'closed' ? [awayText(throttle)] : [];
  const replay = is_replay_due ? ['A replay is due: run order-sync replay'] : [];
  return [...why, ...away, ...(clock_warning === null ? [] : [clock_warning]), ...replay];
}

function awayText({
  circuit,
  concurrency,
  max_concurrency,
}: NonNullable<ShopStatusJson['throttle']>): string {
  const requests = `${concurrency} of ${max_concurrency} requests at once`;
  return `The shop did not answer the last request (circuit ${circuit}, ${requests})`;
}

/** @param text a `timestamptz` as the database writes it @returns UTC, whole seconds, without the zone */
function moment(text: string | null): string {
  if (text === null) return '–';
  const second = Temporal.Instant.from(text).round({ smallestUnit: 'second', roundingMode: 'floor' });
  return utcText(second).replace(' UTC', '');
}
