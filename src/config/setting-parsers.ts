/** What the text of one setting means. Each throws a RangeError that completes the sentence "NAME …" and repeats no value. */
import { validate as isCron } from 'node-cron';

import { parseDurationMs } from '../plan/freshness.ts';

/** Days that a shop can have; both ends included. A year beyond them is a slip, and some the database does not know. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2200];

/** Days as `2024-01-31`. @throws RangeError */
export function parseDay(text: string): Temporal.PlainDate {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new RangeError('must be a day, such as 2024-01-31');
  const day = readDay(text);
  if (day === undefined) throw new RangeError('is a day that does not exist');
  if (day.year >= FIRST_YEAR && day.year <= LAST_YEAR) return day;
  throw new RangeError(`must be a day of the years ${FIRST_YEAR} to ${LAST_YEAR}`);
}

function readDay(text: string): Temporal.PlainDate | undefined {
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    return undefined;
  }
}

/** The first day to hold. @throws RangeError for one that has begun nowhere on earth yet */
export function parseHistoryDay(text: string): Temporal.PlainDate {
  const day = parseDay(text);
  const latest = Temporal.Now.zonedDateTimeISO('Pacific/Kiritimati').toPlainDate();
  if (Temporal.PlainDate.compare(day, latest) <= 0) return day;
  throw new RangeError('lies in the future: nothing would be held');
}

/** @throws RangeError for everything but what is the case anyway: silence would look like consent */
export function parsePiiMode(text: string): 'keep' {
  if (text === 'keep') return text;
  if (text === 'pseudonymize')
    throw new RangeError('pseudonymize is not supported yet; unset it, or leave it at keep');
  throw new RangeError('must be keep');
}

/** @returns milliseconds, above 0 @throws RangeError */
export function parseDuration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms === 0) throw new RangeError('must be a duration, such as 90s, 5m, 6h or 7d');
  return ms;
}

/**
 * The address of a shop, without the path of its API.
 *
 * @param allowHttp whether an unencrypted address may be of this other machine
 * @param advice how to write elsewhere what does not belong into the address
 * @throws RangeError
 */
export function parseShopUrl(
  text: string,
  allowHttp: (host: string) => boolean,
  advice: { readonly credentials: string; readonly allowHttp: string },
): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new RangeError('must be an address, such as https://shop.example');
  }
  if (url.username !== '' || url.password !== '') {
    throw new RangeError(`must not hold credentials; they go into ${advice.credentials}`);
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback && !allowHttp(url.hostname)) {
    throw new RangeError(`would send the API key unencrypted; use https, or set ${advice.allowHttp}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/adm\/api$/, '')}`;
}

/**
 * To which hosts an API key may go unencrypted: `true` for all, `false` for none, or the name of one.
 *
 * @throws RangeError
 */
export function parseAllowHttp(text: string): (host: string) => boolean {
  if (text === 'true' || text === 'false') return () => text === 'true';
  const isOtherWord = /^(yes|no|on|off|[01])$/i.test(text);
  if (isOtherWord || !/^[a-z0-9.-]{1,253}$/i.test(text)) {
    throw new RangeError('must be true, false or the name of one host');
  }
  return (host) => host === text.toLowerCase();
}

/** @throws RangeError */
export function parseWebhookUrl(text: string): string {
  const url = URL.parse(text);
  // Credentials within an address are refused by `fetch`, too late to be noticed in time.
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username + url.password !== '') {
    throw new RangeError('must be an address without user and password, such as https://hooks.example/abc');
  }
  return text;
}

/**
 * Node's own switch: with 0 whoever is in between could read the API key.
 *
 * @throws RangeError
 */
export function refuseUnverifiedTls(text: string): void {
  if (text !== '0') return;
  throw new RangeError(
    'must not be 0, which lets anyone pose as the shop; unset it, and name a certificate of your own by NODE_EXTRA_CA_CERTS',
  );
}

/** @throws RangeError */
export function parseDatabaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new RangeError('must look like postgres://USER:PASSWORD@HOST:5432/DATABASE');
  }
  return text;
}

/** @throws RangeError */
export function parseZone(text: string): string {
  try {
    // Temporal takes offsets too, but PostgreSQL reads the sign of "+03:00" the other way round.
    if (/^[a-z]/i.test(text)) return Temporal.Now.zonedDateTimeISO(text).timeZoneId;
  } catch {
    // Refused below.
  }
  throw new RangeError('must be an IANA time zone, such as Europe/Berlin');
}

/** @returns the charset by its usual name @throws RangeError */
export function parseCharset(text: string): string {
  try {
    const { encoding } = new TextDecoder(text);
    // Stands for charsets that must not be decoded at all.
    if (encoding !== 'replacement') return encoding;
  } catch {
    // Refused below.
  }
  throw new RangeError('must be a charset, such as windows-1251, koi8-r or utf-8');
}

export function isShopKey(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text);
}

/** @throws RangeError */
export function parseShopKey(text: string): string {
  if (!isShopKey(text)) {
    throw new RangeError('must be lower-case letters, digits, - and _, at most 63');
  }
  return text;
}

/** @throws RangeError */
export function parseRate(text: string): number {
  const rate = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate <= 0) throw new RangeError('must be a number above 0, such as 10 or 0.5');
  return rate;
}

/** @throws RangeError */
export function parseCron(text: string): string {
  if (!isCron(text)) throw new RangeError('must be a cron expression in UTC, such as */5 * * * *');
  return text;
}

export function parseText(text: string): string {
  return text;
}

export function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new RangeError(`must be a whole number from ${least} to ${most}`);
    }
    return value;
  };
}

export function oneOf(values: readonly string[]): (text: string) => string {
  return (text) => {
    if (!values.includes(text)) throw new RangeError(`must be one of ${values.join(', ')}`);
    return text;
  };
}
