import type { DayPart, LedgerDay } from '../../model/ledger-day.ts';
import { EVER, minutesBetween, type Window } from '../../model/window.ts';
import { isPast, plausiblePause } from '../clock/clock-bounds.ts';
import { type FreshnessPolicy, freshnessTargetMs } from './freshness.ts';

/** The days to look at; without a first one, all that ever were. */
export type DueRange = { readonly from: Temporal.PlainDate | undefined; readonly to: Temporal.PlainDate };

/**
 * A day to verify, with the days before it that it speaks for: those that the ledger has no row of, since they were
 * empty when it was verified, or were never read.
 */
export type DueDay = {
  readonly day: Temporal.PlainDate;
  /** The first of the days that it speaks for; undefined: whatever was before it. */
  readonly since: Temporal.PlainDate | undefined;
  /** Orders to expect on the day itself, where it was verified before. */
  readonly expected: number | undefined;
  /** As the ledger has them; undefined where it has no row of the day. */
  readonly moves?: number | undefined;
  /** What was read of it already. */
  readonly part?: DayPart | undefined;
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

/** A day may take as long to be read, by many sweeps, even where it is to be verified more often. */
const MIN_PART_AGE_MS = 24 * 3_600_000;
const DAY_MINUTES = 24 * 60;

/** How due days are taken. */
export type DueRule = {
  /** How long what was read of a day is of use; undefined: everything is read from the start. */
  readonly policy: FreshnessPolicy | undefined;
  /** Days that could not be verified wait until they are to be tried again. @default false */
  readonly awaitsRetry?: boolean;
  /** What is to be tried again within this is taken as well. @default 0 */
  readonly aheadMs?: number;
};

/** The days of a range that are due, newest first: those that the ledger says are, and those that it does not name. */
export function dueDays(
  ledger: readonly LedgerDay[],
  range: DueRange,
  rule: DueRule,
  now: Temporal.Instant,
  timezone: string,
): readonly DueDay[] {
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  const rows = ledger.toSorted((one, other) => Temporal.PlainDate.compare(one.day, other.day));
  const known = rows.filter(({ day }) => isWithin(range, day));
  const [first] = known;
  if (first === undefined) return neverRead(range.from, range.to).toReversed();
  const last = known.at(-1) ?? first;
  const isFirstOfAll = first === rows[0];
  const due = known.flatMap((row, index): readonly DueDay[] => {
    const ageDays = row.day.until(today).total('days');
    if (!row.isDue || isWaiting(row, rule, now)) return [];
    const before = known[index - 1]?.day.add({ days: 1 });
    // What lies before the first row of all may never have been read, and is reported separately where it is asked for.
    const since = before ?? (isFirstOfAll && range.from !== undefined ? row.day : range.from);
    const part = usablePart(row, ageDays, rule, now);
    const expected = row.orders ?? (part && expectedOrders(part));
    return [{ day: row.day, since, expected, moves: row.moves, part }];
  });
  const older = isFirstOfAll && range.from !== undefined ? stretch(range.from, dayBefore(first.day)) : [];
  return [...older, ...due, ...stretch(last.day.add({ days: 1 }), range.to)].toReversed();
}

/**
 * A forced verification reads everything now, an old verdict is useless, and what a clock that ran ahead wrote down is
 * not trusted. A reading that can verify nothing any more goes on however old it is: the rest is still to be loaded.
 */
function usablePart(
  { moves, part }: LedgerDay,
  ageDays: number,
  rule: DueRule,
  now: Temporal.Instant,
): DayPart | undefined {
  if (part === undefined || rule.policy === undefined || !isPast(part.since, now)) return undefined;
  const mostMs = Math.max(MIN_PART_AGE_MS, freshnessTargetMs(rule.policy, ageDays));
  const isYoung = now.epochMilliseconds - part.since.epochMilliseconds < mostMs;
  return isYoung || part.moves !== moves ? part : undefined;
}

/** Orders to expect on the whole day, as densely as they lie in the part. */
function expectedOrders({ orders, readFrom }: DayPart): number {
  const end = readFrom.toPlainDate().add({ days: 1 }).toPlainDateTime();
  return Math.ceil((orders * DAY_MINUTES) / minutesBetween(readFrom, end));
}

function neverRead(from: Temporal.PlainDate | undefined, to: Temporal.PlainDate): readonly DueDay[] {
  return from === undefined ? [{ day: to, since: undefined, expected: undefined }] : stretch(from, to);
}

const dayBefore = (day: Temporal.PlainDate) => day.subtract({ days: 1 });

export function isWithin({ from, to }: DueRange, day: Temporal.PlainDate): boolean {
  const isLateEnough = from === undefined || Temporal.PlainDate.compare(day, from) >= 0;
  return isLateEnough && Temporal.PlainDate.compare(day, to) <= 0;
}

/** How many days `stretch` makes of this range. */
export function countStretch(first: Temporal.PlainDate, last: Temporal.PlainDate): number {
  return stretch(first, last).length;
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

/**
 * Neighbouring due days as one window each, in the given order; `days` stays newest first. A day of which a part was read
 * is the newest of its run, and the window ends where that part begins.
 */
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
    if (run && isNext && entry.part === undefined) run.push(entry);
    else runs.push([entry]);
  }
  return runs.map((days) => {
    const [newest] = days;
    const oldest = days.at(-1) ?? newest;
    const isLatest = Temporal.PlainDate.compare(newest.day, today) >= 0;
    const window = {
      from: oldest.since?.toPlainDateTime() ?? EVER.from,
      to: newest.part?.readFrom ?? (isLatest ? EVER.to : newest.day.add({ days: 1 }).toPlainDateTime()),
    };
    return { window, days };
  });
}
