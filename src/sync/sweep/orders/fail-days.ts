import { freshnessTargetMs } from '../../../plan/days/freshness.ts';
import { retryAfterMs } from '../../../plan/days/retry.ts';
import type { Tx } from '../../../warehouse/db/database.ts';
import { recordDayFailure } from '../../../warehouse/ops/ledger.ts';
import type { Sweep } from '../../run/context.ts';
import { today } from '../../run/shop-day.ts';

/**
 * Records why days could not be verified, and when they are tried again: together, for one may be due to the other. Several failures of a day in one sweep are one
 * attempt.
 *
 * @param wasRead they were read whole, and their orders were loaded
 */
export async function failDays(
  { ports, found }: Sweep,
  tx: Tx,
  days: readonly string[],
  reason: string,
  wasRead: boolean,
): Promise<void> {
  const { lease, now, shop } = ports;
  const present = today(ports);
  const ages = days.map((day) => Temporal.PlainDate.from(day).until(present).total('days'));
  const targetMs = Math.min(...ages.map((age) => freshnessTargetMs(shop.freshness, age)));
  await recordDayFailure(tx, lease.shopId, days, reason, (before) => {
    const isCounted = days.some((day) => found.failed.has(day));
    const attempts = isCounted ? Math.max(1, before) : before + 1;
    const milliseconds = retryAfterMs({ attempts, ageDays: Math.min(...ages), targetMs, wasRead });
    return { attempts, retryAt: now().add({ milliseconds }) };
  });
  for (const day of days) found.failed.add(day);
}
