import { counted } from '../../model/amount-text.ts';
import { missingText } from '../../model/missing-orders.ts';
import type { DaySpan, UnverifiedShop } from '../../warehouse/query/unverified-days.ts';

const MAX_SHOPS = 3;
const MAX_SPANS = 3;

/** One sentence on what is not proven of a result; undefined: all of it is. @param isOnlyShop needs no name */
export function describeUnverified(
  shops: readonly UnverifiedShop[],
  isOnlyShop: boolean,
  now = Temporal.Now.instant(),
): string | undefined {
  if (shops.length === 0) return undefined;
  const named = shops.slice(0, MAX_SHOPS).map((shop) => {
    const said = describeShop(shop, now);
    return isOnlyShop ? said : `${shop.shop}: ${said}`;
  });
  const others = shops.length - named.length;
  if (others > 0) named.push(`and so of ${counted(others, 'more shop')}`);
  return `${named.join('; ')}; the figures may be incomplete. bi.unverified_days lists the days.`;
}

function describeShop(shop: UnverifiedShop, now: Temporal.Instant): string {
  const { first_day, last_day, days, line_days, missing_orders: orders, confirmed_at } = shop;
  const isNone = days.some(({ from, to }) => from === null && to >= last_day);
  if (first_day === null || isNone) return 'no day is verified yet';
  const confirmedAt = confirmed_at === null ? undefined : Temporal.Instant.from(confirmed_at);
  const missing = confirmedAt && missingText({ orders, confirmedAt }, now);
  if (days.length === 0 && missing !== undefined) return missing;
  if (days.length === 0) return `lines of orders up to ${line_days.at(-1)?.to} are not up to date`;
  const also = missing === undefined ? '' : ` (${missing})`;
  return `not verified: ${spansText(days)}${also}`;
}

/** The latest first. */
function spansText(days: readonly DaySpan[]): string {
  const named = days.toReversed().slice(0, MAX_SPANS).map(spanText);
  const others = days.length - named.length;
  const more = others === 0 ? [] : [`${others} earlier ${others === 1 ? 'span' : 'spans'}`];
  return [...named, ...more].join(', ');
}

function spanText({ from, to }: DaySpan): string {
  if (from === null) return `all days up to ${to}`;
  return from === to ? to : `${from} to ${to}`;
}
