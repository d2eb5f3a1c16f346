import type { ShopDetails } from '../../../src/sync/report/shop-details.ts';
import { shopJson } from '../status-json.ts';

/** What the page of a shop shows of which all is well. */
export function detailsOf(key: string, calendar: ShopDetails['calendar']): ShopDetails {
  const report = {
    shop: { shopKey: key },
    status: shopJson({ shop: key }),
  };
  const details: unknown = {
    report,
    asOf: Temporal.Instant.from('2026-03-10T12:00:00.987Z'),
    calendar,
    ordersByDay: [0, 3],
    rejections: [],
    failedDays: [],
    runs: [],
  };
  return details as ShopDetails;
}
