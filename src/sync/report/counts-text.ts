/** What a shop is asked to count, for `check`, `status` and the status page alike. */
import { counted } from '../../amount-text.ts';
import { type Doubt, setAside } from '../../plan/counts/facet-trust.ts';

/** What is not asked for now, since it was wrong. */
export function asideJson(doubts: readonly Doubt[], now: Temporal.Instant) {
  return setAside(doubts, now).map(({ facet, reason, until }) => ({
    facet,
    reason,
    until: until.toString(),
  }));
}

type Covered = { readonly facets: number; readonly orders: number; readonly through: string };

/** How much of the history was compared: `12,000 orders through 2026-03-08 by 20 facets`. */
export function coverageText({ facets, orders, through }: Covered): string {
  return `${counted(orders, 'order')} through ${through} by ${counted(facets, 'facet')}`;
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
