import type { JsonObject } from '../../json.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';

/** The policy that a shop was swept with, as it is kept: by it the views of `bi` say what is due. */
export function freshnessPart(policy: FreshnessPolicy | undefined): JsonObject {
  if (policy === undefined) return {};
  const freshness = policy.map(({ youngerThanDays, targetMs }) => ({
    // The last one is for every age, which JSON has no number for.
    younger_than_days: Number.isFinite(youngerThanDays) ? youngerThanDays : null,
    target_seconds: targetMs / 1000,
  }));
  return { freshness };
}
