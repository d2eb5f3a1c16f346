import { counted, grouped } from '../../model/amount-text.ts';
import { missingText } from '../../model/missing-orders.ts';
import type { DaySpan, UnverifiedShop } from '../../warehouse/query/unverified-days.ts';

const MAX_SHOPS = 3;

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
  if (first_day === null) return 'no day is verified yet';
  const confirmedAt = confirmed_at === null ? undefined : Temporal.Instant.from(confirmed_at);
  const missing = confirmedAt && missingText({ orders, confirmedAt }, now);
  if (days.length === 0 && missing !== undefined) return missing;
  if (days.length === 0) return `lines of orders up to ${line_days.at(-1)?.to} are not up to date`;
  const known = { from: first_day, to: last_day };
  const unverified = days.reduce((sum, span) => sum + countDays(span, known), 0);
  const are = `${unverified === 1 ? 'is' : 'are'} not verified, the latest ${days.at(-1)?.to}`;
  const also = missing === undefined ? '' : ` (${missing})`;
  return `${grouped(unverified)} of ${grouped(countDays(known, known))} days ${are}${also}`;
}

/** Days of a span that lie within another one. */
function countDays({ from, to }: DaySpan, within: { readonly from: string; readonly to: string }): number {
  const first = from === null || from < within.from ? within.from : from;
  const last = to > within.to ? within.to : to;
  return Math.max(0, Temporal.PlainDate.from(first).until(last).total('days') + 1);
}
