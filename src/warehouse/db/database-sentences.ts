/** What errors of PostgreSQL, of poolers, the network and TLS mean, and what to do about them. */
import { nextStep } from '../../model/next-step.ts';

const ADDRESS = 'check DATABASE_URL';
const PASSWORD = `${ADDRESS}, and DATABASE_PASSWORD if set`;
const UNTRUSTED =
  'its certificate is not signed by an authority that this machine trusts; name the authority with sslrootcert=FILE in ' +
  'DATABASE_URL, or, on a network that you trust, use sslmode=no-verify';
const OUT_OF_REACH = `its address cannot be reached from this machine; ${ADDRESS}, routes and firewalls`;
const CLOSED =
  'it closed the connection; it may have been restarted, or a pooler, proxy or firewall may have cut it; try again';
const SLOW = `it did not answer in time; ${ADDRESS} and firewalls`;
const STANDBY = 'this is a read-only standby; point DATABASE_URL at the primary';
const NO_TLS = 'it does not offer TLS; remove sslmode from DATABASE_URL, or enable TLS on the server';

/** Sentences by SQLSTATE, network or TLS error code. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: `nothing is listening there; ${ADDRESS}, and that PostgreSQL is up`,
  ENOTFOUND: `its host name is unknown; ${ADDRESS}`,
  EAI_AGAIN: 'its host name could not be resolved; check the DNS of this machine',
  ETIMEDOUT: SLOW,
  ECONNRESET:
    'the connection was reset; a proxy or firewall may have cut it, or the server crashed; try again',
  EPIPE: CLOSED,
  EHOSTUNREACH: OUT_OF_REACH,
  ENETUNREACH: OUT_OF_REACH,
  ENOENT: `there is no socket at that path; ${ADDRESS}, and that PostgreSQL is up`,
  EACCES: `this user may not open its socket; ${ADDRESS} and the permissions of the socket`,

  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it, and check the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name; use the name in the certificate in DATABASE_URL',

  '08P01': 'it, or a pooler in front of it, refused the connection; see its log',
  '25006': STANDBY,
  '28P01': `it rejected the user or password; ${PASSWORD}`,
  '28000': `it rejected the user; ${ADDRESS} and pg_hba.conf`,
  '3D000': `it has no database of that name; create it, or ${ADDRESS}`,
  '3F000': `a schema is missing; run \`${nextStep('apply migrations')}\``,
  '2BP01': 'other objects depend on one that must be dropped; drop yours, and recreate them afterwards',
  '40P01': 'two writers deadlocked; try again',
  '42501':
    'the user lacks a privilege for this; grant it the role order_sync_worker, or connect as the owner of the tables',
  '42P01': `a table is missing; run \`${nextStep('apply migrations')}\``,
  '53100': 'its disk is full',
  '53200': 'it is out of memory',
  '53300': 'it has no connections left; raise max_connections or run fewer workers',
  '57014': 'a statement was cancelled by an administrator or a timeout of the server',
  '57P01': 'it was shut down, or an administrator closed the connection; try again',
  '57P02': 'it crashed and is restarting; try again in a moment',
  '57P03':
    'it accepts no connections: it may be starting up, shutting down or recovering; try again in a moment',
};

/**
 * By SQLSTATE, or none, and what the message says, as a regular expression: it may say more than the code. A server may use
 * another language: then the code decides.
 */
const BY_MESSAGE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '57P03': {
    'starting up': 'it is starting up; try again in a moment',
    'shutting down': 'it is shutting down; try again when it is back up',
    recovery: 'it is recovering from a crash; try again in a moment',
  },
  '0A000': { 'during recovery': STANDBY },
  '08P01': {
    'unsupported startup parameter':
      'a pooler in front of it does not know a parameter of DATABASE_URL; remove it, or add it to ' +
      'ignore_startup_parameters of PgBouncer',
    'no such database': `the pooler has no database of that name; ${ADDRESS}`,
    'no such user|auth failed|authentication failed|password': `the pooler rejected the user or password; ${PASSWORD}`,
    'cannot connect|server down|server_login|server login':
      'the pooler cannot reach the server behind it; check that PostgreSQL is up, and the log of the pooler',
    'timeout|no more connections|too many':
      'the pooler had no free connection in time; check that PostgreSQL is up behind it, and that its pool_size is large enough',
  },
  '28000': {
    'no pg_hba\\.conf entry.*no encryption':
      'its pg_hba.conf has no entry for this user without TLS; add sslmode=require to DATABASE_URL, or an entry',
    'no pg_hba\\.conf entry': 'its pg_hba.conf has no entry for this machine, user and database; add one',
  },
  none: {
    '^Connection terminated due to connection timeout|^timeout expired': SLOW,
    '^timeout exceeded when trying to connect':
      'all connections of this program stayed busy; the server is overloaded, or something holds a lock',
    '^Connection terminated|is not queryable$': CLOSED,
    '^The server does not support SSL connections': NO_TLS,
    '^There was an error establishing an SSL connection': NO_TLS,
    '^SASL: .*client password must be|^Password.*required':
      'it requires a password, and none is set; add one to DATABASE_URL or DATABASE_PASSWORD',
    '^SASL: .*server signature': `it could not prove that it knows the password, and may not be the server you mean; ${PASSWORD}`,
    '^SASL: |^Unknown authenticationOk message type':
      'it requires an unsupported authentication method; use scram-sha-256 in pg_hba.conf',
    '^Received unexpected \\w+ message from backend': `what answers there is not PostgreSQL; ${ADDRESS}`,
  },
};

/** Undefined: nothing better is known than what the error says itself. */
export function findSentence({ code, message }: DatabaseFault): string | undefined {
  const rules = Object.entries(BY_MESSAGE[code ?? 'none'] ?? {});
  const rule = rules.find(([says]) => new RegExp(says, 'i').test(message));
  if (rule !== undefined || code === undefined) return rule?.[1];
  const isTls = code.startsWith('ERR_SSL_') || code === 'EPROTO';
  return BY_CODE[code] ?? (isTls ? `TLS with it failed; ${ADDRESS} and sslmode` : undefined);
}

/** Facts of an error: the message may quote rows. */
export type DatabaseFault = {
  readonly code: string | undefined;
  readonly message: string;
  /** `FATAL` ends the connection. */
  readonly severity: string | undefined;
  readonly table: string | undefined;
  readonly constraint: string | undefined;
  /** Of the server, that reported it. */
  readonly routine: string | undefined;
};

/** The innermost matching cause of an error: Drizzle and pg wrap the errors of the server and the network. */
export function findFault(
  error: unknown,
  isWanted: (fault: DatabaseFault) => boolean,
): DatabaseFault | undefined {
  let found: DatabaseFault | undefined;
  for (let cause = error; cause instanceof Error; cause = nextCause(cause)) {
    const fault = {
      code: readText(cause, 'code'),
      message: cause.message,
      severity: readText(cause, 'severity'),
      table: readText(cause, 'table'),
      constraint: readText(cause, 'constraint'),
      routine: readText(cause, 'routine'),
    };
    if (isWanted(fault)) found = fault;
  }
  return found;
}

function nextCause(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}

function readText(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
