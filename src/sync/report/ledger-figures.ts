import { countStretch } from '../../plan/days/due-days.ts';
import type { FreshnessPolicy } from '../../plan/days/freshness.ts';
import { listRequestsPerHour } from '../../plan/load/load-cost.ts';
import type { LedgerRule, LedgerSummary } from '../../warehouse/reports/ledger-summaries.ts';

/** The days of a shop's ledger by the rules of its policy, as `readLedgerSummaries` takes them. */
export function ledgerRules(
  shopId: number,
  timezone: string,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): readonly LedgerRule[] {
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  const dayOfAge = (days: number) =>
    Number.isFinite(days) ? today.subtract({ days }).toString() : '-infinity';
  return policy.map(({ youngerThanDays, targetMs }, rule) => ({
    shop_id: shopId,
    rule,
    after: dayOfAge(youngerThanDays),
    // The future counts as today.
    through: rule === 0 ? 'infinity' : dayOfAge(policy[rule - 1]?.youngerThanDays ?? 0),
    today: today.toString(),
    timezone,
    due_before: now.subtract({ milliseconds: targetMs }).toString(),
  }));
}

/** Days that are due, as `dueDays` finds them; undefined for a shop that was never swept. */
export function sumDueDays(
  summary: LedgerSummary | undefined,
  timezone: string,
  now: Temporal.Instant,
): number | undefined {
  if (summary === undefined) return undefined;
  // Without any day up to today, today stands for all.
  if (summary.last_known_day === null) return 1;
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  const next = Temporal.PlainDate.from(summary.last_known_day).add({ days: 1 });
  return summary.rules.reduce((sum, { due }) => sum + due, 0) + countStretch(next, today);
}

/** List requests per hour that a policy costs when nothing changes. */
export function sumSteadyCost(
  summary: LedgerSummary | undefined,
  policy: FreshnessPolicy,
  pageRows: number,
): number {
  const groups = (summary?.rules ?? []).map(({ rule, orders }) => ({
    targetMs: policy[rule]?.targetMs ?? 0,
    orders,
  }));
  return listRequestsPerHour(groups, pageRows);
}
