import { COMMON_ZONES, isOrderSeenInTime, minutesAhead } from './clock-skew.ts';

export type ZoneGuess = {
  readonly zone: string;
  /** Since the newest order was placed, if the shop is in that zone; undefined if it lists no order. */
  readonly orderMinutesAgo: number | undefined;
};

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
 * The zone that a shop's times are probably in. Its answers name none, but no order is placed in the future: of the
 * zone of its address, that of this machine, and the common ones, the first that agrees with its newest order.
 *
 * @param newest when the newest order was placed, in the shop's own time
 * @param host of the shop's address
 * @param machineZone the zone of this machine
 */
export function guessZone(
  newest: Temporal.PlainDateTime | undefined,
  now: Temporal.Instant,
  host: string,
  machineZone: string,
): ZoneGuess {
  const zoneOfHost = ZONE_BY_ENDING[host.split('.').at(-1) ?? ''];
  const likely = zoneOfHost ?? machineZone;
  if (newest === undefined) return { zone: likely, orderMinutesAgo: undefined };
  const minutesAgo = (zone: string) => -minutesAhead(newest, now, zone);
  const nearestFirst = COMMON_ZONES.toSorted((one, other) => minutesAgo(one) - minutesAgo(other));
  const zone = [likely, machineZone, ...nearestFirst].find((candidate) =>
    isOrderSeenInTime(newest, now, candidate),
  );
  const guessed = zone ?? machineZone;
  return { zone: guessed, orderMinutesAgo: Math.round(minutesAgo(guessed)) };
}
