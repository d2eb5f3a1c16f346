import { duration } from '../../model/amount-text.ts';

/** What the newest order says about a shop's time zone, or about a clock. */
export type ClockSkew = {
  /** By how much the order lies in the future, as the configured zone has it. */
  readonly aheadMinutes: number;
  /**
   * The westernmost offset from UTC, as `+03:00`, with which the order would not lie in the future; if it is not quite new, offsets east
   * of that fit too. Undefined if no zone explains the difference, or if it is too small for another zone.
   */
  readonly fittingOffset: string | undefined;
};

/** No two zones are further apart. An order beyond that was dated by hand, and says nothing about a clock. */
export const MOST_AHEAD_HOURS = 26;
/** Shops show minutes, and clocks differ a little. */
const TOLERATED_MINUTES = 10;
/** Zones differ by more than this. */
const MIN_ZONE_MINUTES = 30;

/** Offsets are multiples of this, and none is further east. */
const OFFSET_STEP_MINUTES = 15;
const EASTERNMOST_MINUTES = 14 * 60;

/**
 * Whether an order that was seen is dated later than the shop's clock could show when it was.
 *
 * @param createdLocal of the newest order, in the shop's own time
 * @returns undefined where nothing is wrong, or the date is beyond what a zone can explain
 */
export function clockSkew(
  createdLocal: Temporal.PlainDateTime,
  seenAt: Temporal.Instant,
  timezone: string,
): ClockSkew | undefined {
  const aheadMinutes = minutesAhead(createdLocal, seenAt, timezone);
  if (aheadMinutes <= TOLERATED_MINUTES || aheadMinutes > MOST_AHEAD_HOURS * 60) return undefined;
  return { aheadMinutes, fittingOffset: fittingOffset(createdLocal, seenAt, aheadMinutes) };
}

/** The order was placed before it was seen, so the nearest offset by which that is so is a bound. */
function fittingOffset(
  createdLocal: Temporal.PlainDateTime,
  seenAt: Temporal.Instant,
  aheadMinutes: number,
): string | undefined {
  const least = minutesAhead(createdLocal, seenAt, 'UTC') - TOLERATED_MINUTES;
  const offset = Math.ceil(least / OFFSET_STEP_MINUTES) * OFFSET_STEP_MINUTES;
  if (aheadMinutes < MIN_ZONE_MINUTES || offset > EASTERNMOST_MINUTES) return undefined;
  const time = Temporal.PlainTime.from('00:00').add({ minutes: Math.abs(offset) });
  return `${offset < 0 ? '-' : '+'}${time.toString({ smallestUnit: 'minute' })}`;
}

/** Whether an order that was placed at this local time can have been seen at this instant, if the shop is in the zone. */
function isOrderSeenInTime(
  local: Temporal.PlainDateTime,
  seenAt: Temporal.Instant,
  timezone: string,
): boolean {
  return minutesAhead(local, seenAt, timezone) <= TOLERATED_MINUTES;
}

/** In the hour that autumn repeats, an order is of the first one rather than of the future. */
export function minutesAhead(local: Temporal.PlainDateTime, at: Temporal.Instant, timezone: string): number {
  return at
    .until(local.toZonedDateTime(timezone, { disambiguation: 'earlier' }).toInstant())
    .total('minutes');
}

/** A sentence for people, without its full stop. */
export function clockSkewText({ aheadMinutes, fittingOffset }: ClockSkew, timezone: string): string {
  const isShort = aheadMinutes < MIN_ZONE_MINUTES;
  const ahead = isShort ? `${Math.round(aheadMinutes)} min` : `${Math.round(aheadMinutes / 30) / 2} h`;
  const advice =
    fittingOffset === undefined
      ? `${isShort ? '' : 'no zone explains that: '}check the clocks of the shop and of this machine`
      : `the shop's zone is UTC${fittingOffset} or one east of it`;
  return `the time zone is set to ${timezone}, but the newest order is ${ahead} ahead; ${advice}`;
}

/** Where most shops are whose address ends so. */
const ZONE_BY_ENDING: Readonly<Record<string, string>> = {
  at: 'Europe/Vienna',
  by: 'Europe/Minsk',
  ch: 'Europe/Zurich',
  cz: 'Europe/Prague',
  de: 'Europe/Berlin',
  ee: 'Europe/Tallinn',
  fr: 'Europe/Paris',
  kz: 'Asia/Almaty',
  lt: 'Europe/Vilnius',
  lv: 'Europe/Riga',
  md: 'Europe/Chisinau',
  pl: 'Europe/Warsaw',
  ru: 'Europe/Moscow',
  su: 'Europe/Moscow',
  ua: 'Europe/Kyiv',
  uk: 'Europe/London',
  uz: 'Asia/Tashkent',
  'xn--p1ai': 'Europe/Moscow',
};

/**
 * The zone that a shop's times are probably in: that of its address, if its newest order is not of the future there. Its
 * answers name none, and orders alone do not show it: every local time is the current one in some zone.
 *
 * @param newest when the newest order was placed, in the shop's own time
 */
export function guessZone(
  newest: Temporal.PlainDateTime | undefined,
  now: Temporal.Instant,
  host: string,
): string | undefined {
  const zone = ZONE_BY_ENDING[host.split('.').at(-1) ?? ''];
  return zone === undefined || (newest && !isOrderSeenInTime(newest, now, zone)) ? undefined : zone;
}

/** `In America/New_York the newest order, 22 Nov 23:59, was placed 1 h ago`; undefined without an order. */
export function placedText(
  newest: Temporal.PlainDateTime | undefined,
  now: Temporal.Instant,
  timezone: string,
): string | undefined {
  if (newest === undefined) return undefined;
  const ahead = minutesAhead(newest, now, timezone);
  const when =
    ahead > 0
      ? `would be placed ${duration(ahead * 60_000)} from now`
      : `was placed ${duration(-ahead * 60_000)} ago`;
  return `In ${timezone} the newest order, ${orderTime(newest)}, ${when}`;
}

/** `22 Nov 23:59` */
function orderTime(time: Temporal.PlainDateTime): string {
  const month = time.toLocaleString('en', { month: 'short' });
  return `${time.day} ${month} ${time.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}
