import type { DayState } from '../../plan/days/calendar.ts';

/**
 * The days of a shop for machines and for the charts, as `/shops/KEY/data.json` serves them and docs/status-page.md
 * describes them. Lists of days have one element per day, from `first_day` to today.
 */
export type ShopDataJson = {
  /** Raised when a field goes or changes its meaning. */
  readonly version: 1;
  readonly shop: string;
  readonly as_of: string;
  readonly first_day: string | null;
  readonly states: readonly DayState[];
  readonly orders: readonly number[];
  readonly sales: readonly { readonly currency: string | null; readonly revenue: readonly number[] }[];
  /** The current hour last. */
  readonly requests_by_hour: readonly number[];
};
