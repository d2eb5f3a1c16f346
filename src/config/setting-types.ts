/** Types of settings, parsed from text. Each message completes the sentence "NAME …" and repeats no value. */
import { validate as isCron } from 'node-cron';
import { z } from 'zod';

import { parseDurationMs, parseFreshness } from '../plan/days/freshness.ts';
import { nearestName } from './nearest-name.ts';

/** Any text. In the shops file a value may also be a list, a mapping or empty. */
export const text = z
  .string('must be a single value, not a list or a mapping')
  .min(1, { error: 'is empty; give it a value, or leave it out', abort: true });

/**
 * @param parse returns undefined or throws for invalid text
 * @param message or what makes one; that of an error may repeat the value
 */
function parsedBy<Value>(
  parse: (given: string) => Value | undefined,
  message: string | ((given: string, error: unknown) => string),
) {
  return text.transform((given, context): Value => {
    let [value, thrown]: [Value | undefined, unknown] = [undefined, undefined];
    try {
      value = parse(given);
    } catch (error) {
      thrown = error;
    }
    if (value !== undefined) return value;
    context.addIssue(typeof message === 'string' ? message : message(given, thrown));
    return z.NEVER;
  });
}

/** @param form of its digits */
function number(form: RegExp, isAllowed: (value: number) => boolean, message: string) {
  return parsedBy(
    (given) => (form.test(given) && isAllowed(Number(given)) ? Number(given) : undefined),
    message,
  );
}

export const integer = (min: number, max: number) =>
  number(
    /^\d{1,9}$/,
    (value) => value >= min && value <= max,
    `must be a whole number from ${min} to ${max}`,
  );

export const rate = number(
  /^\d{1,6}(\.\d{1,3})?$/,
  (value) => value > 0,
  'must be a number above 0 and below 1,000,000, such as 10 or 0.5',
);
/** In milliseconds, above 0. */
export const duration = parsedBy(
  (given) => parseDurationMs(given) || undefined,
  'must be a duration, such as 90s, 5m, 6h or 7d',
);

/** In milliseconds; 0 for `off`. */
export const durationOrOff = parsedBy(
  (given) => (/^(off|0)$/i.test(given) ? 0 : parseDurationMs(given) || undefined),
  'must be a duration, such as 1m or 6h, or off',
);

/** In milliseconds, a day or more. */
export const retention = duration.refine((ms) => ms >= 86_400_000, 'must be at least 1d');

export const freshness = parsedBy(parseFreshness, (_given, error) => {
  if (error instanceof RangeError) return error.message;
  throw error;
});

/** A day such as `2024-01-31`. Years out of range are typos, and the database does not support all of them. */
export const day = text
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, such as 2024-01-31')
  .pipe(parsedBy((given) => Temporal.PlainDate.from(given), 'is a day that does not exist'))
  .refine(({ year }) => year >= 1970 && year <= 2200, {
    error: 'must be a day in the years 1970 to 2200',
    abort: true,
  });

/** The first day to load: it must have begun in some time zone. */
export const historyDay = day.refine((given) => {
  const latest = Temporal.Now.zonedDateTimeISO('Pacific/Kiritimati').toPlainDate();
  return Temporal.PlainDate.compare(given, latest) <= 0;
}, 'is in the future: no orders would be loaded');

/** A list, such as `source, gift_wrap`. */
export const names = parsedBy((given) => {
  const list = given.split(',').map((name) => name.trim());
  const named = list.filter((name) => name !== '');
  return named.length > 0 ? named : undefined;
}, 'must be a list, such as source, gift_wrap');

const isHttp = ({ protocol }: URL) => ['http:', 'https:'].includes(protocol);
const hasCredentials = ({ username, password }: URL) => username + password !== '';

/** The address of a shop, parsed without the path of its API. */
export const shopUrl = parsedBy((given) => {
  const url = URL.parse(given);
  return url !== null && isHttp(url) ? url : undefined;
}, 'must be an address, such as https://shop.example')
  .refine(({ search, hash }) => search + hash === '', 'must be an address without what follows ? or #')
  .refine(
    (url) => !hasCredentials(url),
    'must not contain credentials; set the login and the API key separately',
  )
  .transform(({ origin, pathname }) => `${origin}${pathname.replace(/\/+$/, '').replace(/\/adm\/api$/, '')}`);

/** Hosts to which the API key may be sent unencrypted: `true` for all, `false` for none, or the name of one. */
export const allowHttp = text
  .refine(
    (given) => !/^(yes|no|on|off|[01])$/i.test(given) && /^[a-z0-9.-]{1,253}$/i.test(given),
    'must be true, false or the name of one host',
  )
  .toLowerCase();

/** No credentials: `fetch` would reject them only when the first alert is sent. */
export const webhookUrl = text.refine((given) => {
  const url = URL.parse(given);
  return url !== null && isHttp(url) && !hasCredentials(url);
}, 'must be an address without user and password, such as https://hooks.example/abc');

export const databaseUrl = text.refine(
  (given) => ['postgres:', 'postgresql:'].includes(URL.parse(given)?.protocol ?? ''),
  'must look like postgres://USER:PASSWORD@HOST:5432/DATABASE',
);

/** Node's own setting: with 0, a machine in the middle could read the API key. */
export const tlsSwitch = text.refine(
  (given) => given !== '0',
  'must not be 0, which lets anyone impersonate the shop; unset it, and add your own certificate with NODE_EXTRA_CA_CERTS',
);

/**
 * Of a city, or UTC. No offsets, though Temporal accepts them: PostgreSQL reads the sign of "+03:00" the other way round. No
 * EET, CET, EST5EDT and the like: to PostgreSQL some are abbreviations without summer time.
 */
export const zone = parsedBy(
  (given) => {
    if (!/^[a-z]/i.test(given)) return undefined;
    const { timeZoneId } = Temporal.Now.zonedDateTimeISO(given);
    return timeZoneId === 'UTC' || timeZoneId.includes('/') ? timeZoneId : undefined;
  },
  (given, error) => {
    const meant = error === undefined ? cityOf(given) : nearestZone(given);
    const instead = meant === undefined ? ', such as Europe/Berlin' : `; did you mean ${meant}?`;
    return `must be the IANA time zone of a city${instead}`;
  },
);

/** `Europe/Athens` for EET; none for an offset. */
const cityOf = (zone: string) =>
  /^[a-z]/i.test(zone)
    ? new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
    : undefined;

/** The zone of a city, however it is spelled: `Moscow` and `new york` are meant to be a zone. */
function nearestZone(given: string): string | undefined {
  const asName = (text: string) => text.toLowerCase().replaceAll(/[\s_-]+/g, '');
  const zones = Intl.supportedValuesOf('timeZone').map((name) => ({
    name,
    spellings: [asName(name.replace(/^.*\//, '')), asName(name)],
  }));
  const wanted = asName(given);
  const near = nearestName(
    wanted,
    zones.flatMap(({ spellings }) => spellings),
  );
  const isMeant = (spelling: string) => spelling === wanted || spelling === near;
  return zones.find(({ spellings }) => spellings.some(isMeant))?.name;
}

/** Parsed to its canonical name. `replacement` stands for charsets that must not be decoded at all. */
export const charset = parsedBy((given) => {
  const { encoding } = new TextDecoder(given);
  return encoding === 'replacement' ? undefined : encoding;
}, 'must be a charset, such as windows-1251, koi8-r or utf-8');

export const shopKey = text.regex(
  /^[a-z0-9][a-z0-9_-]{0,62}$/,
  'must be lower-case letters, digits, - and _, at most 63',
);

export const cron = text.refine(isCron, 'must be a cron expression in UTC, such as * * * * * or */5 * * * *');

export function oneOf(values: readonly string[]) {
  return text.refine((given) => values.includes(given), `must be one of ${values.join(', ')}`);
}
