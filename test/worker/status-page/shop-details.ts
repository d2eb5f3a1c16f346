import type { ShopDetails } from '../../../src/sync/report/shop-details.ts';
import { shopJson } from '../status-json.ts';

const DAILY = { orders: [0, 3], sales: [{ currency: 'EUR', revenue: [0, 12.5] }] };

/** What the page of a shop shows of which all is well. */
export function detailsOf(key: string, calendar: ShopDetails['calendar']): ShopDetails {
  const report = {
    shop: { shopKey: key },
    status: shopJson({ shop: key }),
    freshness: [],
    requestsByHour: [1, 2],
  };
  const details: unknown = {
    report,
    asOf: Temporal.Instant.from('2026-03-10T12:00:00.987Z'),
    calendar,
    daily: DAILY,
    rejections: [],
    failedDays: [],
    runs: [],
  };
  return details as ShopDetails;
}
