/** What to say of an error of the database, by SQLSTATE or by the network's code. Never its detail: that quotes rows. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; check DATABASE_URL, and that PostgreSQL is up',
  ENOTFOUND: 'its host name is unknown; check DATABASE_URL',
  EAI_AGAIN: 'its host name could not be looked up now; check the DNS of this machine',
  ETIMEDOUT: 'it did not answer in time; check DATABASE_URL and firewalls',
  ECONNRESET: 'the connection was reset',
  '28P01': 'it refuses the user or password; check DATABASE_URL, and DATABASE_PASSWORD where that is set',
  '28000': 'it refuses the user; check DATABASE_URL and pg_hba.conf',
  '3D000': 'it has no database of that name; create it, or check DATABASE_URL',
  '42501': 'the user lacks a privilege for this; grant it, or connect as the owner of the tables',
  '42P01': 'a table is missing; run `order-sync migrate`',
  '53300': 'it has no connection left; raise max_connections or run fewer workers',
  '53100': 'its disk is full',
  '57P01': 'it was shut down while in use',
  '57P03': 'it is starting up; try again in a moment',
};

/** A sentence for an error that pg or Drizzle threw; Drizzle's own message quotes the parameters and is never used. */
export function databaseSentence(error: unknown): string {
  const fault = rootFault(error);
  if (fault?.code !== undefined && SENTENCES[fault.code] !== undefined) return SENTENCES[fault.code] ?? '';
  if (fault?.code !== undefined) {
    const place = [fault.table, fault.constraint].filter((part) => part !== undefined).join(', ');
    return `it refused a statement (SQLSTATE ${fault.code}${place === '' ? '' : `, ${place}`})`;
  }
  if (isWithoutTls(error))
    return 'it does not offer TLS; remove sslmode from DATABASE_URL, or switch TLS on there';
  return fault?.isTimeout === true ? (SENTENCES['ETIMEDOUT'] ?? '') : 'the connection failed';
}

/** pg says this in words alone. */
function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** Whether an error came from pg or Drizzle. */
export function isDatabaseError(error: unknown): boolean {
  const fault = rootFault(error);
  const code = fault?.code ?? '';
  return SENTENCES[code] !== undefined || /^[0-9A-Z]{5}$/.test(code) || fault?.isTimeout === true;
}

type Fault = {
  readonly code: string | undefined;
  readonly table: string | undefined;
  readonly constraint: string | undefined;
  readonly isTimeout: boolean;
};

function rootFault(error: unknown): Fault | undefined {
  let fault: Fault | undefined;
  for (let cause = error; cause instanceof Error; cause = nextCause(cause)) {
    const code = textOf(cause, 'code');
    const isTimeout = /timeout|Connection terminated/i.test(cause.message) && code === undefined;
    if (code !== undefined || isTimeout) {
      fault = { code, table: textOf(cause, 'table'), constraint: textOf(cause, 'constraint'), isTimeout };
    }
  }
  return fault;
}

function nextCause(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}

function textOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
