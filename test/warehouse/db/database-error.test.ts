import { DrizzleQueryError } from 'drizzle-orm';
import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';

import { describeError } from '../../../src/cli/output/describe-error.ts';
import { databaseSentence, isDatabaseError } from '../../../src/warehouse/db/database-error.ts';

const withCode = (code: string, message = 'secret row') => Object.assign(new Error(message), { code });
const fromServer = (code: string, message: string) =>
  Object.assign(new DatabaseError(message, message.length, 'error'), { code, severity: 'ERROR' });

const fatal = (code: string, message: string) =>
  Object.assign(fromServer(code, message), { severity: 'FATAL' });

/** Codes and messages as the server, a pooler, pg, or Node's net and tls give them. */
const ERRORS: readonly (readonly [Error, RegExp])[] = [
  [withCode('ECONNREFUSED'), /nothing is listening there/],
  [withCode('ENOTFOUND'), /host name is unknown/],
  [withCode('ETIMEDOUT'), /did not answer in time/],
  [withCode('EPIPE'), /was cut; try again/],
  [withCode('SELF_SIGNED_CERT_IN_CHAIN'), /sslrootcert/],
  [withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), /certificate was refused/],
  [withCode('CERT_HAS_EXPIRED'), /certificate was refused.*\(CERT_HAS_EXPIRED\)/],
  [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), /certificate was refused/],
  [withCode('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), /TLS with it failed/],
  [
    new Error('The server does not support SSL connections'),
    /^The server does not support SSL connections; check/,
  ],
  [new Error('timeout exceeded when trying to connect'), /^timeout exceeded/],
  [new Error('Connection terminated unexpectedly'), /^Connection terminated/],
  [new Error('Client has encountered a connection error and is not queryable'), /not queryable/],
  [
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    /password must be a string/,
  ],
  [new Error('Received unexpected dataRow message from backend.'), /unexpected dataRow/],
  [fatal('08P01', 'secret row'), /a pooler in front of it, refused the connection; see its log/],
  [fromServer('25006', 'cannot execute INSERT in a read-only transaction'), /standby.*at the primary/],
  [fatal('28000', 'secret row'), /rejected the user.*pg_hba.conf/],
  [fatal('28P01', 'secret row'), /DATABASE_PASSWORD/],
  [fatal('3D000', 'secret row'), /password or database/],
  [fatal('53300', 'sorry, too many clients already'), /no connections left/],
  [fatal('57P01', 'terminating connection due to administrator command'), /closed the connection; try again/],
  [fatal('57P03', 'the database system is starting up'), /starting up/],
  [fatal('XX000', 'secret row'), /^it ended the connection; see its log \(XX000\)/],
  [
    fromServer('42501', 'permission denied for table orders'),
    /^permission denied for table orders .*grant this user/,
  ],
  [fromServer('42P01', 'relation "core.orders" does not exist'), /does not exist \(SQLSTATE 42P01\); run/],
  [fromServer('22P02', 'invalid input syntax for type integer: "secret row"'), /a value \(SQLSTATE 22P02\)/],
  [fromServer('P0001', 'somebody’s trigger: secret row'), /a value \(SQLSTATE P0001\)/],
];

describe('a database error becomes a sentence with the next step:', () => {
  test.each(ERRORS)('%s', (error, said) => {
    // As Drizzle wraps it, with the parameters of the statement.
    const wrapped = new DrizzleQueryError('SELECT $1', ['hunter2'], error);
    for (const given of [error, wrapped]) {
      expect(databaseSentence(given)).toMatch(said);
      expect(isDatabaseError(given)).toBe(true);
      expect(describeError(given).text).toMatch(/^The database: .*\.$/);
    }
    expect(databaseSentence(wrapped)).not.toMatch(/secret row|hunter2|Failed query/);
  });
});

test.each([
  ['insert into "core"."orders" ("shop_id") values ($1)', 'writing core.orders'],
  [
    'WITH fence AS (SELECT shop_id FROM ops.leases) UPDATE ops.days d SET attempts = 1 FROM fence',
    'writing ops.days',
  ],
  ['SELECT 1 FROM core.shops s', 'reading core.shops'],
])('the server says what it refused, and where: %s', (query, step) => {
  const detail = 'Key (email)=(a@b.example) already exists.';
  const refused = Object.assign(
    fromServer('23505', 'duplicate key value violates unique constraint "orders_pk"'),
    {
      detail,
    },
  );
  expect(databaseSentence(new DrizzleQueryError(query, ['a@b.example'], refused))).toBe(
    `${step}: duplicate key value violates unique constraint "orders_pk" (SQLSTATE 23505)`,
  );
});

test('if several addresses failed, the first one gives the reason', () => {
  const all = new AggregateError([withCode('ECONNREFUSED'), withCode('EHOSTUNREACH')], 'all failed');
  expect(databaseSentence(all)).toMatch(/nothing is listening/);
});

test('an error of the program itself is not taken for one of the database', () => {
  for (const error of [
    new TypeError('x is not a function'),
    new Error('Unknown shop'),
    withCode('ERR_ASSERTION'),
    withCode('EPERM'),
  ]) {
    expect(isDatabaseError(error)).toBe(false);
  }
});
