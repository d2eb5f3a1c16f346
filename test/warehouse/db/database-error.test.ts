import { DrizzleQueryError } from 'drizzle-orm';
import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';

import { describeError } from '../../../src/cli/output/describe-error.ts';
import { databaseSentence, during, isDatabaseError } from '../../../src/warehouse/db/database-error.ts';

const withCode = (code: string, message = 'secret row') => Object.assign(new Error(message), { code });
const fromServer = (code: string, message: string) =>
  Object.assign(new DatabaseError(message, message.length, 'error'), { code, severity: 'ERROR' });

const fatal = (code: string, message: string) =>
  Object.assign(fromServer(code, message), { severity: 'FATAL' });

/** Codes and messages as the server, a pooler, pg, or Node's net and tls give them. */
const ERRORS: readonly (readonly [Error, RegExp])[] = [
  [withCode('ECONNREFUSED'), /nothing is listening there/],
  [withCode('ENOTFOUND'), /host name is unknown/],
  [withCode('EAI_AGAIN'), /DNS/],
  [withCode('ETIMEDOUT'), /did not answer in time/],
  [withCode('ECONNRESET'), /was reset/],
  [withCode('EHOSTUNREACH'), /cannot be reached/],
  [withCode('ENOENT'), /no socket at that path/],
  [withCode('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'), /sslrootcert/],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), /not signed by an authority/],
  [withCode('CERT_HAS_EXPIRED', 'certificate has expired'), /has expired/],
  [withCode('ERR_TLS_CERT_ALTNAME_INVALID', `Hostname/IP does not match`), /another host name/],
  [withCode('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), /TLS with it failed/],
  [new Error('The server does not support SSL connections'), /does not offer TLS/],
  [new Error('There was an error establishing an SSL connection'), /does not offer TLS/],
  [new Error('timeout expired'), /did not answer in time/],
  [new Error('Connection terminated due to connection timeout'), /did not answer in time/],
  [new Error('timeout exceeded when trying to connect'), /stayed busy/],
  [new Error('Connection terminated unexpectedly'), /closed the connection/],
  [new Error('Connection terminated'), /closed the connection/],
  [new Error('Client has encountered a connection error and is not queryable'), /closed the connection/],
  [
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    /requires a password, and none is set/,
  ],
  [new Error('SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature does not match'), /may not be the server/],
  [new Error('SASL: Only mechanism(s) SCRAM-SHA-256 are supported'), /scram-sha-256/],
  [new Error('Unknown authenticationOk message type 7'), /scram-sha-256/],
  [new Error('Received unexpected dataRow message from backend.'), /not PostgreSQL/],
  [fromServer('08P01', 'unsupported startup parameter: options'), /ignore_startup_parameters/],
  [fromServer('08P01', 'no such database: orders'), /no database of that name/],
  [fromServer('08P01', 'no such user: me'), /rejected the user or password/],
  [
    fromServer('08P01', 'server login has been failing, try again later'),
    /cannot reach the server behind it/,
  ],
  [fromServer('08P01', 'client_login_timeout (server down)'), /cannot reach the server behind it/],
  [fromServer('08P01', 'pgbouncer cannot connect to server'), /cannot reach the server behind it/],
  [fromServer('08P01', 'query_wait_timeout'), /had no free connection in time/],
  [fromServer('08P01', 'no more connections allowed (max_client_conn)'), /had no free connection in time/],
  [fromServer('08P01', 'something else'), /see its log/],
  [fromServer('25006', 'cannot execute INSERT in a read-only transaction'), /standby.*at the primary/],
  [fromServer('0A000', 'cannot set transaction read-write mode during recovery'), /standby.*at the primary/],
  [fromServer('28000', 'no pg_hba.conf entry for host "a", user "b", no encryption'), /sslmode=require/],
  [fromServer('28000', 'no pg_hba.conf entry for host "a", user "b"'), /for this machine, user and database/],
  [fromServer('28000', 'role "me" is not permitted to log in'), /rejected the user/],
  [fromServer('28P01', 'password authentication failed for user "me"'), /user or password/],
  [fromServer('3D000', 'database "orders" does not exist'), /no database of that name/],
  [fromServer('42501', 'permission denied for table orders'), /lacks a privilege/],
  [fromServer('53300', 'sorry, too many clients already'), /no connections left/],
  [
    fromServer('57P01', 'terminating connection due to administrator command'),
    /shut down, or an administrator/,
  ],
  [fromServer('57P03', 'the database system is starting up'), /starting up; try again in a moment/],
  [
    fromServer('57P03', 'the database system is shutting down'),
    /shutting down; try again when it is back up/,
  ],
  [fromServer('57P03', 'the database system is in recovery mode'), /recovering/],
  [fromServer('57P03', 'Das Datenbanksystem startet'), /accepts no connections/],
  [fromServer('22P02', 'invalid input syntax for type integer: "secret row"'), /a value \(SQLSTATE 22P02\)/],
  [fromServer('P0001', 'somebody’s trigger: secret row'), /a value \(SQLSTATE P0001\)/],
  [fatal('XX000', 'secret row'), /^it ended the connection \(SQLSTATE XX000\)/],
  [fatal('57P05', 'terminating connection due to idle-session timeout'), /^it ended the connection/],
  [fatal('42501', 'secret row'), /lacks a privilege/],
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

test('a step of several statements is named, and what can be done about it', async () => {
  const refuse = async (error: Error) => {
    try {
      return await during('granting to order_sync_worker', async () => {
        throw error;
      });
    } catch (thrown) {
      return databaseSentence(thrown);
    }
  };
  expect(
    await refuse(fromServer('XX000', 'cannot modify table "shops" because of a parallel operation')),
  ).toBe(
    'granting to order_sync_worker: cannot modify table "shops" because of a parallel operation (SQLSTATE XX000)',
  );
  expect(await refuse(fromServer('42501', 'permission denied for schema ops'))).toMatch(
    /^granting to order_sync_worker: permission denied for schema ops; the user lacks a privilege/,
  );
  const ours = new TypeError('ours');
  const failing = during('this', async () => {
    throw ours;
  });
  await expect(failing).rejects.toBe(ours);
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
  ]) {
    expect(isDatabaseError(error)).toBe(false);
  }
});
