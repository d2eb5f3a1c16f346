import type { FreshnessPolicy } from '../plan/freshness.ts';
import { writeApiProfile } from '../warehouse/api-profile.ts';
import type { Tx } from '../warehouse/database.ts';

/** Keeps the policy that a shop is swept with, by which the views of `bi` say what is due. */
export async function noteFreshness(
  tx: Tx,
  shopId: number,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): Promise<void> {
  const freshness = policy.map(({ youngerThanDays, targetMs }) => ({
    // The last one is for every age, which JSON has no number for.
    younger_than_days: Number.isFinite(youngerThanDays) ? youngerThanDays : null,
    target_seconds: targetMs / 1000,
  }));
  await writeApiProfile(tx, shopId, { freshness }, now);
}
