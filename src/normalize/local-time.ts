/** The shop's own times: text without offset, in the shop's time zone. */
import { type JsonValue, scalarText } from '../model/json.ts';
import type { Window } from '../model/window.ts';
import { accepted, type Reading, type RecordReader, refused } from './record-reader.ts';
import { figureText } from './shown-text.ts';

const NOT_A_TIME = 'not a date and time between the years 1970 and 2200';
const NOT_A_CLOCK = 'not a time of day; midnight was taken';

const CLOCK = /^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d{1,9})?)?$/;
const DAY_FIRST = /^(?<day>\d{1,2})(?<mark>[.-])(?<month>\d{1,2})\k<mark>(?<year>\d{4})$/;
const YEAR_FIRST = /^(?<year>\d{4})(?<mark>[./-])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})$/;
/** Zeros, and what PHP makes of them. */
const NEVER = /^(?:0{4}([./-])0{1,2}\1(?:0{1,2})|0{1,2}([.-])0{1,2}\2(?:0{4})|-0001-11-30|30\.11\.-0001)$/;
/** A date, its time of day, and the offset of both. */
const PARTS =
  /^(?<date>[-\d./]+)(?:(?:,? +|T)(?<clock>\d[\d:.,]*)(?: ?(?<offset>Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

/** A date in the shop's zone. */
export type LocalDate = {
  readonly date: Temporal.PlainDate;
  /** Where the field has a time of day. */
  readonly clock: Temporal.PlainTime | undefined;
  /** Where the field has an offset of its own. */
  readonly instant?: Temporal.Instant | undefined;
};

/** A time in the shop's zone, and which instant it is where the shop says so: clocks show some times twice. */
export type LocalTime = {
  readonly local: Temporal.PlainDateTime;
  readonly instant?: Temporal.Instant | undefined;
};

export type ShopZone = {
  /** IANA zone of the shop's times. */
  readonly timezone: string;
};

/**
 * Reads `DD.MM.YYYY` or `YYYY-MM-DD`, also with other marks, optionally with a time of day. One with an offset becomes the shop's
 * own. A date of zeros, MySQL's "never", is null without a rejection.
 */
export function parseLocalDate(value: JsonValue, { timezone }: ShopZone): Reading<LocalDate> {
  const parts = PARTS.exec(figureText(scalarText(value) ?? ''))?.groups ?? {};
  const { date: dateText = '', clock: clockText, offset } = parts;
  const clock = clockText === undefined ? undefined : readClock(clockText);
  if (clockText !== undefined && clock === undefined) return refused(NOT_A_TIME);
  if (NEVER.test(dateText)) return accepted<LocalDate>(null);
  const date = readDate(dateText);
  if (date === undefined) return refused(NOT_A_TIME);
  if (offset === undefined) return accepted({ date, clock });
  const zone = /^z$/i.test(offset) ? 'UTC' : offset;
  const instant = unlessInvalid(() => date.toPlainDateTime(clock).toZonedDateTime(zone).toInstant());
  const local = instant?.toZonedDateTimeISO(timezone);
  if (local === undefined || !isYear(local.year)) return refused(NOT_A_TIME);
  return accepted({ date: local.toPlainDate(), clock: local.toPlainTime(), instant });
}

/** A date alone is its midnight. */
export function parseLocalTime(value: JsonValue, shop: ShopZone): Reading<LocalTime> {
  const { value: read, problems } = parseLocalDate(value, shop);
  return accepted(read && { local: read.date.toPlainDateTime(read.clock), instant: read.instant }, problems);
}

export function readTime(record: RecordReader, field: string, shop: ShopZone): LocalTime | null {
  return record.read(field, (value) => parseLocalTime(value, shop));
}

/** Reads `HH:MM` or `HH:MM:SS`. */
export function parseClock(value: JsonValue): Reading<Temporal.PlainTime> {
  const clock = typeof value === 'string' ? readClock(figureText(value)) : undefined;
  return clock === undefined ? refused(NOT_A_CLOCK) : accepted(clock);
}

/** The hour that a time lies in, where the clocks of its zone were set back and show it twice. */
export function shownTwice(local: Temporal.PlainDateTime, { timezone }: ShopZone): Window | undefined {
  const first = local.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  const second = local.toZonedDateTime(timezone, { disambiguation: 'later' });
  // Where the clocks are set forward, the second one has the larger offset.
  const nanoseconds = first.offsetNanoseconds - second.offsetNanoseconds;
  const from = nanoseconds > 0 ? first.getTimeZoneTransition('next')?.toPlainDateTime() : undefined;
  return from && { from, to: from.add({ nanoseconds }) };
}

/** `YYYY-MM-DDTHH:MM:SS`. */
export function localText(time: LocalTime | null): string | null {
  return time && time.local.toString();
}

/**
 * The instant of a local time. A time that the clocks skip moves forward by the gap; one that they
 * show twice is the first, unless the shop said which.
 *
 * @throws RangeError when `timezone` is not an IANA zone
 */
export function toInstant(time: LocalTime | null, timezone: string): Temporal.Instant | null {
  return time && (time.instant ?? time.local.toZonedDateTime(timezone).toInstant());
}

function readDate(text: string): Temporal.PlainDate | undefined {
  const { year, month, day } = (DAY_FIRST.exec(text) ?? YEAR_FIRST.exec(text))?.groups ?? {};
  if (!isYear(Number(year))) return undefined;
  return unlessInvalid(() => new Temporal.PlainDate(Number(year), Number(month), Number(day)));
}

function isYear(year: number): boolean {
  return year >= 1970 && year <= 2200;
}

function readClock(text: string): Temporal.PlainTime | undefined {
  const [, hour, minute, second = '0'] = CLOCK.exec(text) ?? [];
  return unlessInvalid(() => new Temporal.PlainTime(Number(hour), Number(minute), Number(second)));
}

/** @returns undefined where there is no such date, time of day or offset */
function unlessInvalid<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
