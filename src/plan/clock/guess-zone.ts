import { duration } from '../../amount-text.ts';
import { isOrderSeenInTime, minutesAhead } from './clock-skew.ts';

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
 * answers name none, and orders alone cannot tell: any time was a minute ago somewhere.
 *
 * @param newest when the newest order was placed, in the shop's own time
 * @param host of the shop's address
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
export function orderTime(time: Temporal.PlainDateTime): string {
  const month = time.toLocaleString('en', { month: 'short' });
  return `${time.day} ${month} ${time.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}
