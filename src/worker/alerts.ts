import ky from 'ky';

import type { Logger } from '../sync/run/context.ts';
import type { ShopHealth } from '../warehouse/reports/shop-health.ts';

/** What a person should hear of; holds no personal data. */
export type Alert = {
  readonly shop: string;
  readonly kind: 'failed' | 'stale' | 'recovered' | 'given up';
  /** One sentence, which chat services show. */
  readonly text: string;
};

const FAILED_AFTER = 3;
const STALE_AFTER_MS = 3_600_000;

/**
 * What to tell after a sweep: only what has just begun or ended, so that a shop which stays away is told of once. It is
 * judged by the books that all workers share, so that it is told by one of them.
 *
 * @param before as it was before the sweep, at `began`
 */
export function alertAfter(
  shop: string,
  before: ShopHealth,
  began: Temporal.Instant,
  after: ShopHealth,
  now: Temporal.Instant,
): Alert | undefined {
  const [wasBad, isBad] = [isStale(before, began), isStale(after, now)];
  if (before.failures < FAILED_AFTER && after.failures >= FAILED_AFTER) {
    const why = after.lastError ?? 'order-sync status tells more';
    const text = `order-sync: the last ${after.failures} sweeps of shop ${shop} failed: ${why}`;
    return { shop, kind: 'failed', text };
  }
  if (!wasBad && isBad) {
    const text = `order-sync: the newest orders of shop ${shop} could not be verified for an hour; order-sync status tells more`;
    return { shop, kind: 'stale', text };
  }
  const hasHealed = (before.failures >= FAILED_AFTER || wasBad) && after.failures === 0 && !isBad;
  return hasHealed
    ? { shop, kind: 'recovered', text: `order-sync: shop ${shop} is up to date again` }
    : undefined;
}

/** A shop that was never fresh is being filled for the first time. */
function isStale({ freshAt }: ShopHealth, now: Temporal.Instant): boolean {
  return freshAt !== undefined && now.since(freshAt).total('milliseconds') >= STALE_AFTER_MS;
}

/**
 * Tells a webhook, where one is configured; that it does not answer is no reason to fail.
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
