import ky from 'ky';

import type { Logger } from '../sync/run/context.ts';
import type { ShopHealth } from '../warehouse/reports/shop-health.ts';

/** A notification for people; holds no personal data. */
export type Alert = {
  readonly shop: string;
  readonly kind: 'failed' | 'stale' | 'recovered' | 'given up';
  /** One sentence, in the field that chat services show. */
  readonly text: string;
};

const FAILED_AFTER = 3;
const STALE_AFTER_MS = 3_600_000;

/**
 * The alert to send after a sweep, if any: only for a change, so that an outage is reported once. Based on the runs in
 * the database, which all workers share, so that only one of them reports it.
 *
 * @param before health before the sweep, at `began`
 */
export function alertAfter(
  shop: string,
  before: ShopHealth,
  began: Temporal.Instant,
  after: ShopHealth,
  now: Temporal.Instant,
): Alert | undefined {
  const [wasStale, nowStale] = [isStale(before, began), isStale(after, now)];
  if (before.failures < FAILED_AFTER && after.failures >= FAILED_AFTER) {
    const why = after.lastError ?? 'run order-sync status for details';
    const text = `order-sync: the last ${after.failures} sweeps of shop ${shop} failed: ${why}`;
    return { shop, kind: 'failed', text };
  }
  if (!wasStale && nowStale) {
    const text = `order-sync: the newest orders of shop ${shop} could not be verified for an hour; run order-sync status for details`;
    return { shop, kind: 'stale', text };
  }
  const hasRecovered = (before.failures >= FAILED_AFTER || wasStale) && after.failures === 0 && !nowStale;
  return hasRecovered
    ? { shop, kind: 'recovered', text: `order-sync: shop ${shop} is up to date again` }
    : undefined;
}

/** A shop that was never fresh is still in its first load. */
function isStale({ freshAt }: ShopHealth, now: Temporal.Instant): boolean {
  return freshAt !== undefined && now.since(freshAt).total('milliseconds') >= STALE_AFTER_MS;
}

/**
 * Logs the alert and posts it to the webhook, where one is configured. A failing webhook is only logged.
 *
 * @param url gets a POST with the alert as JSON
 */
export async function sendAlert(url: string | undefined, alert: Alert, logger: Logger): Promise<void> {
  logger.warn({ shop: alert.shop, kind: alert.kind }, 'alert');
  if (url === undefined) return;
  try {
    await ky.post(url, { json: alert, timeout: 10_000, retry: { limit: 2, methods: ['post'] } });
  } catch {
    // The error holds the address, which is a secret.
    logger.warn({ shop: alert.shop, kind: alert.kind }, 'alert webhook failed');
  }
}
