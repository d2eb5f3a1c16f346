/** The shop's wall clock: local times as seconds since 1970, as if the wall clock were UTC, and their text forms. */

export type LocalSeconds = number;

export const MINUTE_S = 60;
export const HOUR_S = 3600;
export const DAY_S = 86_400;

/** Wall-clock time skipped because the clocks went forward; half-open. */
export type ClockGap = { readonly from: LocalSeconds; readonly to: LocalSeconds };

const EPOCH = new Temporal.PlainDateTime(1970, 1, 1);

export function toPlain(seconds: LocalSeconds): Temporal.PlainDateTime {
  return EPOCH.add({ seconds });
}

/** Fractions of a second are dropped. */
export function toSeconds(time: Temporal.PlainDateTime): LocalSeconds {
  return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second) / 1000;
}

export function localSeconds(instant: Temporal.Instant, timezone: string): LocalSeconds {
  return toSeconds(instant.toZonedDateTimeISO(timezone).toPlainDateTime());
}

export function clockGaps(from: LocalSeconds, to: LocalSeconds, timezone: string): readonly ClockGap[] {
  const gaps: ClockGap[] = [];
  let transition = toPlain(from).toZonedDateTime(timezone).getTimeZoneTransition('next');
  while (transition !== null) {
    const after = toSeconds(transition.toPlainDateTime());
    if (after > to + DAY_S) break;
    const before = toSeconds(transition.subtract({ nanoseconds: 1 }).toPlainDateTime()) + 1;
    if (after > before) gaps.push({ from: before, to: after });
    transition = transition.getTimeZoneTransition('next');
  }
  return gaps;
}

/** `DD.MM.YYYY`, the form of an order's `created`. */
export function dottedDate(time: Temporal.PlainDateTime): string {
  return time.toPlainDate().toString().split('-').toReversed().join('.');
}

/** `HH:MM`, the form of an order's `time`. */
export function clockMinute(time: Temporal.PlainDateTime): string {
  return time.toPlainTime().toString({ smallestUnit: 'minute' });
}

/** `YYYY-MM-DD HH:MM:SS`, the form of `updated` and of the dates of users and groups. */
export function isoSeconds(time: Temporal.PlainDateTime): string {
  return time.toString({ smallestUnit: 'second' }).replace('T', ' ');
}

/** Reads `DD-MM-YYYY HH:MM:SS`, the form of the date filters; undefined for any other text or an impossible date. */
export function parseFilterTime(text: string): LocalSeconds | undefined {
  const parts = /^(\d\d)-(\d\d)-(\d{4}) (\d\d):(\d\d):(\d\d)$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0, second = 0] = parts;
  const seconds = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  const time = toPlain(seconds);
  const isReal = time.day === day && time.month === month && time.hour === hour && time.minute === minute;
  return isReal && time.second === second ? seconds : undefined;
}
