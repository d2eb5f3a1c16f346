import { counted, grouped } from '../../model/amount-text.ts';
import type { ThrottleState } from '../run/throttle-state.ts';
import type { ShopStatusJson } from './shop-report.ts';

/** What there is nothing to say of. */
export const NOT_YET = 'not yet';

/** Figures of a shop as `status`, the list of shops and the shop's page show them. */
export function shownFigures(shop: ShopStatusJson) {
  const { orders, estimate } = shop;
  const rest = estimate?.orders ?? 0;
  // A zero that was not read is not shown. A shop that was read whole and has no orders counts as loaded.
  const isUnread = !shop.is_loaded && orders === 0 && rest === 0 && shop.days_verified === 0;
  return {
    completeThrough: shop.complete_through ?? NOT_YET,
    daysDue: shop.is_loaded ? grouped(shop.days_due ?? 0) : 'all',
    orders: isUnread
      ? NOT_YET
      : `${grouped(orders)}${rest === 0 ? '' : ` of about ${grouped(orders + rest)}`}`,
    rejections: isUnread && shop.open_rejections === 0 ? NOT_YET : grouped(shop.open_rejections),
    isUnread,
  };
}

type SteadyCost = {
  readonly steady_list_requests_per_hour: number;
  readonly counts: { readonly requests_per_hour: number } | null;
};

/** What a shop is asked in an hour while nothing changes: `127 list requests by FRESHNESS, and 1,200 counts by COUNT_EVERY`. */
export function steadyText({ counts, steady_list_requests_per_hour: lists }: SteadyCost): string {
  const perHour = counts?.requests_per_hour ?? 0;
  const more = perHour === 0 ? '' : `, and ${counted(atLeastOne(perHour), 'count')} by COUNT_EVERY`;
  return `${counted(atLeastOne(lists), 'list request')} by FRESHNESS${more}`;
}

const atLeastOne = (perHour: number) => Math.max(1, Math.round(perHour));

/** How fast a shop is asked, and why no faster: "at most 16 requests at once, about 30 a second: the shop refuses more". */
export function paceText({
  concurrency,
  max_concurrency: maxConcurrency,
  max_rps: maxRps,
  found_rps: found,
  limited_by: by,
}: ThrottleState): string {
  if (by === 'rate' && found !== null) {
    const rounded = found < 10 ? found.toFixed(1) : Math.round(found);
    return `the shop takes about ${rounded} requests a second, and refuses more`;
  }
  if (by === 'slowness') {
    return `${concurrency} at once, of at most ${maxConcurrency}, since the shop becomes slower with more`;
  }
  if (by === 'failures') {
    return `${concurrency} at once, of at most ${maxConcurrency}, since some requests failed; the pace rises again by itself`;
  }
  return `up to ${maxConcurrency} at once and ${maxRps} a second, the most that the settings allow`;
}
