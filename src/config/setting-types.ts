/** Types of settings, parsed from text. Each message completes the sentence "NAME …" and repeats no value. */
import { validate as isCron } from 'node-cron';
import { z } from 'zod';

import { parseDurationMs, parseFreshness } from '../plan/days/freshness.ts';
import { nearestName } from './nearest-name.ts';

/** Of a required setting; its meaning follows. */
export const NOT_SET = 'is not set';

const singleText = z
  .string({
    error: ({ input }) => {
      if (input instanceof Error) return input.message;
      return input === undefined ? NOT_SET : 'must be a single value, not a list or a mapping';
    },
  })
  .min(1, { error: 'is empty; give it a value, or leave it out', abort: true });

/** Docker passes the quotation marks of its env files on; no setting begins and ends with them. */
const QUOTED = /^(?:"[^]*"|'[^]*'|`[^]*`|[“„«‘][^]*[”“»’])$/;

/** Any text. In the shops file a value may also be a list, a mapping or empty. */
export const text = singleText.refine((input) => !QUOTED.test(input), {
  error: 'is in quotation marks, which would be part of the value; remove them',
  abort: true,
});

/** Taken as it is, since stored pseudonyms were made with it. */
export const longLivedSecret = singleText;

/** @param parse returns undefined or throws for invalid text */
function parsedBy<Value>(parse: (input: string) => Value | undefined, message: string) {
  return text.transform((input, context): Value => {
    const value = attempt(() => parse(input));
    if (value !== undefined) return value;
    context.addIssue(message);
    return z.NEVER;
  });
}

function attempt<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** @param form of its digits */
function number(form: RegExp, isAllowed: (value: number) => boolean, message: string) {
  return text.refine((input) => form.test(input) && isAllowed(Number(input)), message).transform(Number);
}

export function integer(min: number, max: number) {
  const isWithin = (value: number) => value >= min && value <= max;
  return number(/^\d{1,9}$/, isWithin, `must be a whole number from ${min} to ${max}`);
}

export const rate = number(
  /^\d{1,6}(\.\d{1,3})?$/,
  (value) => value > 0,
  'must be a number above 0 and below 1,000,000, such as 10 or 0.5',
);

/** In milliseconds, above 0. */
export const duration = parsedBy(
  (input) => parseDurationMs(input) || undefined,
  'must be a duration, such as 90s, 5m, 6h or 7d',
);

/** In milliseconds; 0 for `off`. */
export const durationOrOff = parsedBy(
  (input) => (/^(off|0)$/i.test(input) ? 0 : parseDurationMs(input) || undefined),
  'must be a duration, such as 1m or 6h, or off',
);

/** In milliseconds, a day or more. */
export const retention = duration.refine((ms) => ms >= 86_400_000, 'must be at least 1d');

export const freshness = text.transform((input, context) => {
  try {
    return parseFreshness(input);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
});

/** A day such as `2024-01-31`. Years out of range are typos, and the database does not support all of them. */
export const day = text
  .pipe(z.iso.date({ error: 'must be a day that exists, such as 2024-01-31', abort: true }))
  .transform((input) => Temporal.PlainDate.from(input))
  .refine(({ year }) => year >= 1970 && year <= 2200, {
    error: 'must be a day in the years 1970 to 2200',
    abort: true,
  });

/** The first day to load: it must have begun in some time zone. */
export const historyDay = day.refine((input) => {
  const latest = Temporal.Now.zonedDateTimeISO('Pacific/Kiritimati').toPlainDate();
  return Temporal.PlainDate.compare(input, latest) <= 0;
}, 'is in the future: no orders would be loaded');

/** A list, such as `source, gift_wrap`. */
export const names = parsedBy((input) => {
  const list = input.split(',').map((name) => name.trim());
  const named = list.filter((name) => name !== '');
  return named.length > 0 ? named : undefined;
}, 'must be a list, such as source, gift_wrap');

const isHttp = ({ protocol }: URL) => ['http:', 'https:'].includes(protocol);
const hasCredentials = ({ username, password }: URL) => username + password !== '';

/** The address of a shop, parsed without the path of its API. */
export const shopUrl = parsedBy((input) => {
  const url = URL.parse(input);
  return url !== null && isHttp(url) ? url : undefined;
}, 'must be an address, such as https://shop.example')
  .refine(
    ({ search, hash }) => search + hash === '',
    'must be an address without a query or fragment (? or #)',
  )
  .refine(
    (url) => !hasCredentials(url),
    'must not contain credentials; set the login and the API key separately',
  )
  .transform(({ origin, pathname }) => `${origin}${pathname.replace(/\/+$/, '').replace(/\/adm\/api$/, '')}`);

/** Hosts to which the API key may be sent unencrypted: `true` for all, `false` for none, or the name of one. */
export const allowHttp = text
  .refine(
    (input) => !/^(yes|no|on|off|[01])$/i.test(input) && /^[a-z0-9.-]{1,253}$/i.test(input),
    'must be true, false or the name of one host',
  )
  .toLowerCase();

/** No credentials: `fetch` would reject them only when the first alert is sent. */
export const webhookUrl = text.refine((input) => {
  const url = URL.parse(input);
  return url !== null && isHttp(url) && !hasCredentials(url);
}, 'must be an address without user and password, such as https://hooks.example/abc');

export const databaseUrl = text.refine(
  (input) => /^postgres(ql)?:$/.test(URL.parse(input)?.protocol ?? ''),
  'must look like postgres://USER:PASSWORD@HOST:5432/DATABASE',
);

/**
 * Of a city, or UTC. No offsets, though Temporal accepts them: PostgreSQL reads the sign of "+03:00" the other way round. No
 * EET, CET, EST5EDT and the like: to PostgreSQL some are abbreviations without summer time.
 */
export const zone = text.transform((input, context): string => {
  const isName = /^[a-z]/i.test(input);
  const id = isName ? attempt(() => Temporal.Now.zonedDateTimeISO(input).timeZoneId) : undefined;
  if (id === 'UTC' || id?.includes('/') === true) return id;
  // `Europe/Athens` for EET.
  const city = id && new Intl.DateTimeFormat('en', { timeZone: id }).resolvedOptions().timeZone;
  const meant = city ?? (isName ? nearestZone(input) : undefined);
  const instead = meant === undefined ? ', such as Europe/Berlin' : `; did you mean ${meant}?`;
  context.addIssue(`must be the IANA time zone of a city${instead}`);
  return z.NEVER;
});

/** The zone of a city, however it is spelled: `Moscow` and `new york` are meant to be a zone. */
function nearestZone(input: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]+/g, '');
  const zones = Intl.supportedValuesOf('timeZone');
  const cities = new Map(
    zones.flatMap((zone) => [zone, zone.replace(/^.*\//, '')].map((name) => [plain(name), zone])),
  );
  return cities.get(nearestName(plain(input), [...cities.keys()]) ?? '');
}

/** Parsed to its canonical name. `replacement` stands for charsets that must not be decoded at all. */
export const charset = parsedBy((input) => {
  const { encoding } = new TextDecoder(input);
  return encoding === 'replacement' ? undefined : encoding;
}, 'must be a charset, such as windows-1251, koi8-r or utf-8');

export const shopKey = text.regex(
  /^[a-z0-9][a-z0-9_-]{0,62}$/,
  'must be lower-case letters, digits, - and _, at most 63',
);

export const cron = text.refine(isCron, 'must be a cron expression in UTC, such as * * * * * or */5 * * * *');

export function oneOf(values: readonly string[]) {
  return text.refine((input) => values.includes(input), `must be one of ${values.join(', ')}`);
}
