/** What the text of a setting may be. Each complaint completes the sentence "NAME …" and repeats no value. */
import { validate as isCron } from 'node-cron';
import { z } from 'zod';

import { parseDurationMs, parseFreshness } from '../plan/freshness.ts';

/** Any text. In the shops file a value may be something else, or nothing. */
export const text = z
  .string('must be a single value, not a list or a mapping')
  .min(1, { error: 'is empty; give it a value, or leave it out', abort: true });

/** @param parse returns undefined, or throws, for what it does not accept */
function parsedBy<Value>(parse: (given: string) => Value | undefined, complaint: string) {
  return text.transform((given, context): Value => {
    let value: Value | undefined;
    try {
      value = parse(given);
    } catch {
      // Its message may repeat the value.
    }
    if (value !== undefined) return value;
    context.addIssue(complaint);
    return z.NEVER;
  });
}

export function integer(min: number, max: number) {
  return text
    .refine(
      (given) => /^\d{1,9}$/.test(given) && Number(given) >= min && Number(given) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

export const rate = text
  .refine(
    (given) => /^\d{1,6}(\.\d{1,3})?$/.test(given) && Number(given) > 0,
    'must be a number above 0, such as 10 or 0.5',
  )
  .transform(Number);

/** In milliseconds, above 0. */
export const duration = parsedBy(
  (given) => parseDurationMs(given) || undefined,
  'must be a duration, such as 90s, 5m, 6h or 7d',
);

export const freshness = text.transform((given, context) => {
  try {
    return parseFreshness(given);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
});

/** A day that a shop can have, as `2024-01-31`; a year beyond these is a typo, and some the database does not know. */
export const day = text
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, such as 2024-01-31')
  .pipe(parsedBy((given) => Temporal.PlainDate.from(given), 'is a day that does not exist'))
  .refine(({ year }) => year >= 1970 && year <= 2200, {
    error: 'must be a day of the years 1970 to 2200',
    abort: true,
  });

/** The first day to hold; it has begun somewhere on earth. */
export const historyDay = day.refine((given) => {
  const latest = Temporal.Now.zonedDateTimeISO('Pacific/Kiritimati').toPlainDate();
  return Temporal.PlainDate.compare(given, latest) <= 0;
}, 'lies in the future: nothing would be held');

/** Only what is the case anyway: silence about anything else would look like consent. */
export const piiMode = text
  .refine((given) => given !== 'pseudonymize', {
    error: 'pseudonymize is not supported yet; unset it, or leave it at keep',
    abort: true,
  })
  .refine((given) => given === 'keep', 'must be keep');

const isHttp = ({ protocol }: URL) => ['http:', 'https:'].includes(protocol);
const hasCredentials = ({ username, password }: URL) => username + password !== '';

/** The address of a shop; read without the path of its API. */
export const shopUrl = parsedBy((given) => {
  const url = URL.parse(given);
  return url !== null && isHttp(url) ? url : undefined;
}, 'must be an address, such as https://shop.example')
  .refine(
    (url) => !hasCredentials(url),
    'must not hold credentials; the login and the API key are settings of their own',
  )
  .transform(({ origin, pathname }) => `${origin}${pathname.replace(/\/+$/, '').replace(/\/adm\/api$/, '')}`);

/** To which hosts an API key may go unencrypted: `true` for all, `false` for none, or the name of one. */
export const allowHttp = text
  .refine(
    (given) => !/^(yes|no|on|off|[01])$/i.test(given) && /^[a-z0-9.-]{1,253}$/i.test(given),
    'must be true, false or the name of one host',
  )
  .toLowerCase();

/** Without credentials, which `fetch` would refuse too late to be noticed in time. */
export const webhookUrl = text.refine((given) => {
  const url = URL.parse(given);
  return url !== null && isHttp(url) && !hasCredentials(url);
}, 'must be an address without user and password, such as https://hooks.example/abc');

export const databaseUrl = text.refine(
  (given) => ['postgres:', 'postgresql:'].includes(URL.parse(given)?.protocol ?? ''),
  'must look like postgres://USER:PASSWORD@HOST:5432/DATABASE',
);

/** Node's own switch: with 0 whoever is in between could read the API key. */
export const tlsSwitch = text.refine(
  (given) => given !== '0',
  'must not be 0, which lets anyone pose as the shop; unset it, and name a certificate of your own by NODE_EXTRA_CA_CERTS',
);

/** No offset, though Temporal takes them: PostgreSQL reads the sign of "+03:00" the other way round. */
export const zone = parsedBy(
  (given) => (/^[a-z]/i.test(given) ? Temporal.Now.zonedDateTimeISO(given).timeZoneId : undefined),
  'must be an IANA time zone, such as Europe/Berlin',
);

/** Read as its usual name. `replacement` stands for charsets that must not be decoded at all. */
export const charset = parsedBy((given) => {
  const { encoding } = new TextDecoder(given);
  return encoding === 'replacement' ? undefined : encoding;
}, 'must be a charset, such as windows-1251, koi8-r or utf-8');

export const shopKey = text.regex(
  /^[a-z0-9][a-z0-9_-]{0,62}$/,
  'must be lower-case letters, digits, - and _, at most 63',
);

export const cron = text.refine(isCron, 'must be a cron expression in UTC, such as */5 * * * *');

export function oneOf(values: readonly string[]) {
  return text.refine((given) => values.includes(given), `must be one of ${values.join(', ')}`);
}
