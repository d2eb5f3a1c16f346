import { countStretch } from '../../plan/days/due-days.ts';
import { listRequestsPerHour } from '../../plan/load/load-cost.ts';
import type { LedgerSummary } from '../../warehouse/reports/ledger-summaries.ts';

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

/** List requests per hour that its policy costs when nothing changes. */
export function sumSteadyCost(summary: LedgerSummary | undefined, pageRows: number): number {
  const groups = (summary?.rules ?? []).map(({ target_seconds, orders }) => {
    return { targetMs: target_seconds * 1000, orders };
  });
  return listRequestsPerHour(groups, pageRows);
}
