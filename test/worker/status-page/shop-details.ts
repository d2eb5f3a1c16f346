import type { ShopDetails } from '../../../src/sync/report/shop-details.ts';
import type { ShopStatusJson } from '../../../src/sync/report/shop-report.ts';
import { shopJson } from '../status-json.ts';

export const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

/** Two days, the second of which is due. */
export const CALENDAR = {
  firstDay: Temporal.PlainDate.from('2026-03-09'),
  states: ['verified', 'due'],
} as const;

export type GivenDetails = Partial<Omit<ShopDetails, 'report'>> & {
  readonly status?: Partial<ShopStatusJson>;
};

/** What the page of a shop shows of which all is well, but for what is given. */
export function detailsOf({ status, ...given }: GivenDetails): ShopDetails {
  const report: unknown = { shop: { shopKey: status?.shop }, status: shopJson(status) };
  const rest = { asOf: NOW, calendar: undefined, ordersByDay: [], rejections: [], failedDays: [], runs: [] };
  return { report: report as ShopDetails['report'], ...rest, ...given };
}
