import { missingText } from '../../model/missing-orders.ts';
import type { DaySpan, PartialHistory, UnverifiedShop } from '../../warehouse/query/unverified-days.ts';

/** Spans that are named; the newest are what people look at. */
const MAX_SPANS = 3;
const MAX_SHOPS = 3;

/** One line on what is not proven of a result, for people; undefined: all of it is. @param isOnlyShop needs no name */
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
  const more = others === 0 ? [] : [`and days of ${others} more shops: see bi.unverified_days`];
  return `${[...named, ...more].join('; ')}; the figures may be incomplete.\n`;
}

/** One line on how far back customers are known; undefined: from their first sale on, or the query does not depend on it. */
export function describeHistories(shops: readonly PartialHistory[], isOnlyShop: boolean): string | undefined {
  if (shops.length === 0) return undefined;
  const named = shops
    .slice(0, MAX_SHOPS)
    .map((shop) => `${isOnlyShop ? '' : `${shop.shop}: `}${shop.history_from}`);
  const others = shops.length - named.length;
  const more = others === 0 ? '' : ` and of ${others} more shops`;
  return `Orders are loaded from ${named.join(', ')} on${more}; customers may have bought before, so who is new or returning is not known.\n`;
}

function describeShop(shop: UnverifiedShop, now: Temporal.Instant): string {
  const { first_day, last_day, days, line_days, missing_orders: orders, confirmed_at } = shop;
  if (first_day === null) return 'no day is verified yet';
  const confirmedAt = confirmed_at === null ? undefined : Temporal.Instant.from(confirmed_at);
  const missing = confirmedAt && missingText({ orders, confirmedAt }, now);
  if (days.length === 0 && missing !== undefined) return missing;
  if (days.length === 0) return `the lines of some orders of ${spansText(line_days)} are not up to date`;
  const known = { from: first_day, to: last_day };
  const [unverified, all] = [
    days.reduce((sum, span) => sum + countDays(span, known), 0),
    countDays(known, known),
  ];
  return `${unverified} of ${all} days ${unverified === 1 ? 'is' : 'are'} not verified: ${spansText(days)}${missing === undefined ? '' : ` (${missing})`}`;
}

function spansText(spans: readonly DaySpan[]): string {
  const newest = spans.slice(-MAX_SPANS).map(spanText);
  const others = spans.length - newest.length;
  const earlier = others === 1 ? '1 earlier span' : `${others} earlier spans`;
  return [...(others === 0 ? [] : [earlier]), ...newest].join(', ');
}

function spanText({ from, to }: DaySpan): string {
  if (from === null) return `all up to ${to}`;
  return from === to ? to : `${from} to ${to}`;
}

/** Days of a span that lie within another one. */
function countDays({ from, to }: DaySpan, within: { readonly from: string; readonly to: string }): number {
  const first = from === null || from < within.from ? within.from : from;
  const last = to > within.to ? within.to : to;
  const days = Temporal.PlainDate.from(first).until(last).total('days') + 1;
  return Math.max(0, days);
}
