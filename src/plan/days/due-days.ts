import type { LedgerDay } from '../../model/ledger-day.ts';
import { EVER, type Window } from '../../model/window.ts';
import { plausiblePause } from '../clock/clock-bounds.ts';
import type { FreshnessPolicy } from './freshness.ts';

/** The days to look at; without a first one, all that ever were. */
export type DueRange = { readonly from: Temporal.PlainDate | undefined; readonly to: Temporal.PlainDate };

/**
 * A day to verify, together with the days before it that have no row in the ledger: they were empty when it was verified,
 * or were never read.
 */
export type DueDay = {
  readonly day: Temporal.PlainDate;
  /** The first of the days that it covers; undefined: everything before it. */
  readonly since: Temporal.PlainDate | undefined;
  /** Orders to expect on the day itself, where it was verified before. */
  readonly expected: number | undefined;
};

/** The part of its target by which a day may be taken early. */
const MOST_AHEAD = 0.5;

/** The policy by which days count as due that will be within `aheadMs`: at most half their target early. */
export function aheadOf(policy: FreshnessPolicy, aheadMs: number): FreshnessPolicy {
  const sooner = (targetMs: number) => targetMs - Math.min(aheadMs, targetMs * MOST_AHEAD);
  return policy.map((rule) => ({ ...rule, targetMs: sooner(rule.targetMs) }));
}

/** The policy by which every day is due. */
export const ALL_DUE: FreshnessPolicy = [{ youngerThanDays: Number.POSITIVE_INFINITY, targetMs: 0 }];

/** A stretch of days that were never read is taken day by day; a longer one as a whole, since it is likely empty. */
const MAX_STRETCH_DAYS = 366;

/** How due days are taken. */
export type DueRule = {
  /** Whether to skip days that could not be verified until their retry is due. @default false */
  readonly awaitsRetry?: boolean;
  /** Retries that are due within this time are included. @default 0 */
  readonly aheadMs?: number;
};

/** The days of a range that are due, newest first: those that are due by the ledger, and those that have no row in it. */
export function dueDays(
  ledger: readonly LedgerDay[],
  range: DueRange,
  rule: DueRule,
  now: Temporal.Instant,
): readonly DueDay[] {
  const rows = ledger.toSorted((one, other) => Temporal.PlainDate.compare(one.day, other.day));
  const known = rows.filter(({ day }) => isWithin(range, day));
  const [first] = known;
  if (first === undefined) return neverRead(range.from, range.to).toReversed();
  const last = known.at(-1) ?? first;
  const isFirstOfAll = first === rows[0];
  const due = known.flatMap((row, index): readonly DueDay[] => {
    if (!row.isDue || isWaiting(row, rule, now)) return [];
    const before = known[index - 1]?.day.add({ days: 1 });
    // What lies before the first row of all may never have been read, and is reported separately where it is asked for.
    const since = before ?? (isFirstOfAll && range.from !== undefined ? row.day : range.from);
    return [{ day: row.day, since, expected: row.orders }];
  });
  const older = isFirstOfAll && range.from !== undefined ? stretch(range.from, dayBefore(first.day)) : [];
  return [...older, ...due, ...stretch(last.day.add({ days: 1 }), range.to)].toReversed();
}

function neverRead(from: Temporal.PlainDate | undefined, to: Temporal.PlainDate): readonly DueDay[] {
  return from === undefined ? [{ day: to, since: undefined, expected: undefined }] : stretch(from, to);
}

const dayBefore = (day: Temporal.PlainDate) => day.subtract({ days: 1 });

export function isWithin({ from, to }: DueRange, day: Temporal.PlainDate): boolean {
  const isLateEnough = from === undefined || Temporal.PlainDate.compare(day, from) >= 0;
  return isLateEnough && Temporal.PlainDate.compare(day, to) <= 0;
}

/** Days that were never read, oldest first; both ends included. */
function stretch(first: Temporal.PlainDate, last: Temporal.PlainDate): readonly DueDay[] {
  const length = first.until(last).total('days') + 1;
  if (length > MAX_STRETCH_DAYS) return [{ day: last, since: first, expected: undefined }];
  return Array.from({ length }, (_, index) => {
    const day = first.add({ days: index });
    return { day, since: day, expected: undefined };
  });
}

/** Whether a day could not be verified, and is not tried again yet. */
export function isWaiting({ failure }: LedgerDay, rule: DueRule, now: Temporal.Instant): boolean {
  if (rule.awaitsRetry !== true) return false;
  const until = plausiblePause(failure?.retryAt, now);
  const ready = now.add({ milliseconds: rule.aheadMs ?? 0 });
  return until !== undefined && Temporal.Instant.compare(ready, until) < 0;
}

/** Neighbouring due days as one window, in the given order; `days` stays newest first. */
export type DueRun = { readonly window: Window; readonly days: readonly DueDay[] };

/**
 * @param today in the shop; a run that ends with it, or later, has no end: orders of a clock that is ahead belong to it
 */
export function dueRuns(due: readonly DueDay[], today: Temporal.PlainDate): readonly DueRun[] {
  const runs: [DueDay, ...DueDay[]][] = [];
  for (const entry of due) {
    const run = runs.at(-1);
    const oldest = run?.at(-1);
    const isNext = oldest?.since?.subtract({ days: 1 }).equals(entry.day) === true;
    if (run && isNext) run.push(entry);
    else runs.push([entry]);
  }
  return runs.map((days) => {
    const [newest] = days;
    const oldest = days.at(-1) ?? newest;
    const isLatest = Temporal.PlainDate.compare(newest.day, today) >= 0;
    const window = {
      from: oldest.since?.toPlainDateTime() ?? EVER.from,
      to: isLatest ? EVER.to : newest.day.add({ days: 1 }).toPlainDateTime(),
    };
    return { window, days };
  });
}
