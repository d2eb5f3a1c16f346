/** What errors of PostgreSQL, of poolers, the network and TLS say, and what to do about them. */
import { DrizzleQueryError } from 'drizzle-orm/errors';

import { nextStep } from '../../model/next-step.ts';

const MIGRATE = `run \`${nextStep('apply migrations')}\``;
const AGAIN = 'try again in a moment';
const UNTRUSTED =
  'name its authority with sslrootcert=FILE in DATABASE_URL, or, on a network that you trust, use sslmode=no-verify';

/**
 * Of Node's net and tls, and what the server says of the connection, by codes: their own messages name addresses, users and
 * databases.
 */
const CONNECTION: readonly (readonly [codes: RegExp, says: string])[] = [
  [/^(ECONNREFUSED|ENOENT)$/, 'nothing is listening there; check DATABASE_URL, and that PostgreSQL is up'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'its host name is unknown; check DATABASE_URL and the DNS of this machine'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EACCES)$/,
    'it did not answer in time; check DATABASE_URL and firewalls',
  ],
  [/^(ECONNRESET|EPIPE)$/, `the connection was cut; ${AGAIN}`],
  [/(^|_)CERT_|CERT$|ISSUER_CERT/, `its certificate was refused; ${UNTRUSTED}`],
  [/^(ERR_SSL_|EPROTO$)/, 'TLS with it failed; check sslmode in DATABASE_URL'],
  [
    /^(28|3D)/,
    'it rejected the user, password or database; check DATABASE_URL with its sslmode, DATABASE_PASSWORD, and pg_hba.conf',
  ],
  [/^25006/, 'this is a read-only standby; point DATABASE_URL at the primary'],
  [/^08/, 'it, or a pooler in front of it, refused the connection; see its log'],
  [/^53300/, 'it has no connections left; raise max_connections or run fewer workers'],
  [/^57P0[123]/, `it is starting up, was shut down, or closed the connection; ${AGAIN}`],
];

/** Messages of the driver, which gives its errors no codes. They name nothing. */
const OF_DRIVER =
  /^(Connection terminated|timeout e|SASL: |Password|Unknown authenticationOk|Received unexpected \w+ message|The server does not support SSL|There was an error establishing an SSL)|is not queryable$/;

/** What to do about what the server refused, by SQLSTATE. */
const HINTS: Readonly<Record<string, string>> = {
  '3F000': MIGRATE,
  '42P01': MIGRATE,
  '42501': 'grant this user the role order_sync_worker, or connect as the owner of the tables',
  '40P01': AGAIN,
};

const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** What a value is not, and what functions raise: these messages quote values. */
const OF_VALUES = /^(22|P0)/;
const RAISED = 'exec_stmt_raise';

type Fault = {
  readonly message: string;
  /** SQLSTATE, or of Node; undefined: of the driver. */
  readonly code: string | undefined;
  /** `FATAL` ends the connection. */
  readonly severity: string | undefined;
  readonly routine: string | undefined;
};

/** The innermost cause of an error that is of the database or on the way there: Drizzle and pg wrap others. */
function findFault(error: unknown): Fault | undefined {
  let found: Fault | undefined;
  for (let cause = error; cause instanceof Error; cause = nextCause(cause)) {
    const code = readText(cause, 'code');
    const isKnown =
      code === undefined
        ? OF_DRIVER.test(cause.message)
        : SQLSTATE.test(code) || findSentence(code) !== undefined;
    const [severity, routine] = [readText(cause, 'severity'), readText(cause, 'routine')];
    if (isKnown) found = { message: cause.message, code, severity, routine };
  }
  return found;
}

const nextCause = (error: Error): unknown =>
  error instanceof AggregateError ? error.errors[0] : error.cause;

function readText(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}

const findSentence = (code: string) => CONNECTION.find(([codes]) => codes.test(code))?.[1];

export const isDatabaseError = (error: unknown): boolean => findFault(error) !== undefined;

/** SQLSTATE of an error of the server, or the code of one of Node. */
export const codeOf = (error: unknown): string | undefined => findFault(error)?.code;

/**
 * A sentence for an error of pg or Drizzle: what was being done, the server's own message, and what to do about it. Never its
 * detail or context, nor the message of Drizzle, which quote rows and parameters.
 */
export function databaseSentence(error: unknown): string {
  const fault = findFault(error);
  if (fault === undefined) return 'the connection failed';
  const { code, message, severity, routine } = fault;
  if (code === undefined) return `${message}; check DATABASE_URL, and that PostgreSQL is up`;
  const connection = findSentence(code);
  if (connection !== undefined) return `${connection} (${code})`;
  if (severity === 'FATAL') return `it ended the connection; see its log (${code})`;
  const said = OF_VALUES.test(code) || routine === RAISED ? 'it refused a value' : message.split('\n')[0];
  const hint = HINTS[code];
  return `${stepOf(error)}${said} (SQLSTATE ${code})${hint === undefined ? '' : `; ${hint}`}`;
}

const WRITTEN = /\b(?:insert into|update|delete from)\s+("?\w+"?\."?\w+"?)/i;
const READ = /\bfrom\s+("?\w+"?\."?\w+"?)/i;

/** Of a statement of Drizzle, the first table that it writes or else reads. */
function stepOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof DrizzleQueryError)) continue;
    const written = WRITTEN.exec(cause.query)?.[1];
    const table = written ?? READ.exec(cause.query)?.[1];
    if (table !== undefined)
      return `${written === undefined ? 'reading' : 'writing'} ${table.replaceAll('"', '')}: `;
  }
  return '';
}
