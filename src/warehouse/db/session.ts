/**
 * What the statements of this program are written for, whatever the server, the database or the user is set to: times,
 * intervals, numbers and bytes in one form, one snapshot per statement, and no end to a migration or to a sum over years.
 */
const SETTINGS = {
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  // Migrations tell by notices what they could not do.
  client_min_messages: 'notice',
  statement_timeout: '0',
  lock_timeout: '0',
};

/** Take effect with the next transaction, and so cannot be set in one for itself. */
const TRANSACTION_DEFAULTS = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
};

/** As `db.transaction` is told it, where `TRANSACTION_DEFAULTS` cannot be set. */
export const TRANSACTION_MODE = { isolationLevel: 'read committed', accessMode: 'read write' } as const;

/** Statements, to be sent as one, that prepare a session which is ours alone. */
export const SESSION_SETTINGS = statements('SET', { ...SETTINGS, ...TRANSACTION_DEFAULTS }, false);

/** The same for the transaction that is open, where a pooler gives each transaction another session. */
export const TRANSACTION_SETTINGS = statements('SET LOCAL', SETTINGS, true);

function statements(verb: string, settings: Readonly<Record<string, string>>, isLocal: boolean): string {
  return [
    ...Object.entries(settings).map(([name, value]) => `${verb} ${name} = '${value}'`),
    // Only PostgreSQL 17 and later know it.
    `SELECT set_config('transaction_timeout', '0', ${isLocal}) WHERE current_setting('server_version_num')::int >= 170000`,
  ]
    .map((statement) => `${statement};`)
    .join('\n');
}
