import { isPast } from './clock-bounds.ts';
import { type FreshnessPolicy, freshnessTargetMs } from './freshness.ts';

/** What the ledger says of one day. */
export type LedgerDay = {
  readonly day: Temporal.PlainDate;
  readonly verifiedAt: Temporal.Instant | undefined;
  /** Orders held when it was last verified. */
  readonly orders: number | undefined;
};

/** Days, both ends included. */
export type DayRange = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

/** A day to verify, with the number of orders to expect where it was verified before. */
export type DueDay = { readonly day: Temporal.PlainDate; readonly expected: number | undefined };

/** The part of its target by which a day may be taken early. */
const MOST_AHEAD = 0.1;

/** Why a day is due: it was verified too long ago for its age, or, by force, not since an instant, or any day is. */
export type DueRule =
  | { readonly by: 'all' }
  | {
      readonly by: 'policy';
      readonly policy: FreshnessPolicy;
      /** Days that will be due within this are taken as well, but at most a tenth of their target early. @default 0 */
      readonly aheadMs?: number;
    }
  | { readonly by: 'force'; readonly notSince: Temporal.Instant };

/**
 * The days of a range that are due, newest first. A day that was never verified is always due, and so is one that was
 * verified in the future: a clock ran ahead.
 *
 * @param timezone the shop's IANA zone: it decides which day is today
 */
export function dueDays(
  ledger: readonly LedgerDay[],
  range: DayRange,
  rule: DueRule,
  now: Temporal.Instant,
  timezone: string,
): readonly DueDay[] {
  const known = new Map(ledger.map((entry) => [entry.day.toString(), entry]));
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  const due: DueDay[] = [];
  for (
    let day = range.to;
    Temporal.PlainDate.compare(day, range.from) >= 0;
    day = day.subtract({ days: 1 })
  ) {
    const entry = known.get(day.toString());
    const ageDays = day.until(today).total('days');
    if (isDue(entry?.verifiedAt, ageDays, rule, now)) due.push({ day, expected: entry?.orders });
  }
  return due;
}

function isDue(
  verifiedAt: Temporal.Instant | undefined,
  ageDays: number,
  rule: DueRule,
  now: Temporal.Instant,
): boolean {
  if (rule.by === 'all' || verifiedAt === undefined || !isPast(verifiedAt, now)) return true;
  if (rule.by === 'force') return Temporal.Instant.compare(verifiedAt, rule.notSince) < 0;
  const ageOfVerdictMs = now.epochMilliseconds - verifiedAt.epochMilliseconds;
  const targetMs = freshnessTargetMs(rule.policy, ageDays);
  const aheadMs = Math.min(rule.aheadMs ?? 0, targetMs * MOST_AHEAD);
  return ageOfVerdictMs >= targetMs - aheadMs;
}

/** Neighbouring due days as one range each, in the given order; `days` stays newest first. */
export type DueRun = { readonly range: DayRange; readonly days: readonly DueDay[] };

export function dueRuns(due: readonly DueDay[]): readonly DueRun[] {
  const runs: DueDay[][] = [];
  for (const entry of due) {
    const run = runs.at(-1);
    const oldest = run?.at(-1);
    if (run && oldest && oldest.day.subtract({ days: 1 }).equals(entry.day)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((days) => {
    const [newest, oldest] = [days[0], days.at(-1)];
    return newest && oldest ? [{ range: { from: oldest.day, to: newest.day }, days }] : [];
  });
}
