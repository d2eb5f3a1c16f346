/** The shop's own times: text without offset, in the shop's time zone. */
import type { JsonValue } from '../json.ts';
import type { Window } from '../window.ts';
import { accepted, type Reading, refused } from './record-reader.ts';

const NOT_A_TIME = 'not a date and time between the years 1970 and 2200';
const NOT_A_CLOCK = 'not a time of day; midnight was taken';

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const DOTTED = /^(?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{4})$/;
const DASHED = /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/;
const NEVER = new Set(['0000-00-00', '00.00.0000']);

export type Clock = { readonly hour: number; readonly minute: number; readonly second: number };

/** A valid date, and the time of day where the field has one. */
export type LocalDate = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly clock: Clock | undefined;
};

export type ShopZone = {
  /** IANA zone of the shop's times. */
  readonly timezone: string;
};

/**
 * Reads `DD.MM.YYYY` or `YYYY-MM-DD`, optionally with a time of day. A date of zeros, MySQL's "never", is null without
 * a rejection.
 *
 * @param _shop for forms that name an instant; the current ones are in the shop's own time
 */
export function parseLocalDate(value: JsonValue, _shop: ShopZone): Reading<LocalDate> {
  if (typeof value !== 'string') return refused(NOT_A_TIME);
  const [dateText = '', clockText, ...rest] = value.trim().split(/ +|T/, 3);
  const clock = clockText === undefined ? undefined : readClock(clockText);
  const isBadClock = clockText !== undefined && clock === undefined;
  if (rest.length > 0 || isBadClock) return refused(NOT_A_TIME);
  if (NEVER.has(dateText)) return accepted<LocalDate>(null);
  const date = readDate(dateText);
  return date === undefined ? refused(NOT_A_TIME) : accepted({ ...date, clock });
}

/** A date alone is its midnight. */
export function parseLocalTime(value: JsonValue, shop: ShopZone): Reading<Temporal.PlainDateTime> {
  const { value: local, problems } = parseLocalDate(value, shop);
  return accepted(local && localTime(local, local.clock), problems);
}

export function localTime(
  { year, month, day }: LocalDate,
  { hour, minute, second }: Clock = MIDNIGHT,
): Temporal.PlainDateTime {
  return new Temporal.PlainDateTime(year, month, day, hour, minute, second);
}

const MIDNIGHT: Clock = { hour: 0, minute: 0, second: 0 };

/** Reads `HH:MM` or `HH:MM:SS`. */
export function parseClock(value: JsonValue): Reading<Clock> {
  const clock = typeof value === 'string' ? readClock(value.trim()) : undefined;
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
export function localText(local: Temporal.PlainDateTime | null): string | null {
  return local && local.toString();
}

/**
 * The instant of a local time as ISO text in UTC. A time that the clocks skip moves forward by the gap; one that they
 * show twice is the first.
 *
 * @throws RangeError when `timezone` is not an IANA zone
 */
export function instantText(local: Temporal.PlainDateTime | null, timezone: string): string | null {
  return local && local.toZonedDateTime(timezone).toInstant().toString();
}

function readDate(text: string): Omit<LocalDate, 'clock'> | undefined {
  const parts = (DOTTED.exec(text) ?? DASHED.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const [year, month, day] = [Number(parts['year']), Number(parts['month']), Number(parts['day'])];
  if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1) return undefined;
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day > daysInMonth ? undefined : { year, month, day };
}

function readClock(text: string): Clock | undefined {
  const [, hour, minute, second = 0] = CLOCK.exec(text) ?? [];
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  return clock.hour < 24 && clock.minute < 60 && clock.second < 60 ? clock : undefined;
}
