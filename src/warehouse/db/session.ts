/**
 * Session settings that the statements of this program rely on, whatever the defaults of the server, database or user:
 * one form for times, intervals, numbers and bytes, a snapshot per statement, and no timeout for long statements.
 */
const SETTINGS = {
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  lock_timeout: '0',
};

/** Take effect with the next transaction only. */
const TRANSACTION_DEFAULTS = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
};

/** For `db.transaction`, where `TRANSACTION_DEFAULTS` cannot be set. */
export const TRANSACTION_MODE = { isolationLevel: 'read committed', accessMode: 'read write' } as const;

/** Prepares a session of our own; sent as one query. */
export const SESSION_SETTINGS = statements('SET', { ...SETTINGS, ...TRANSACTION_DEFAULTS }, false);

/** Prepares a transaction, where a pooler gives each transaction another session. */
export const TRANSACTION_SETTINGS = statements('SET LOCAL', SETTINGS, true);

function statements(verb: string, settings: Readonly<Record<string, string>>, isLocal: boolean): string {
  return [
    ...Object.entries(settings).map(([name, value]) => `${verb} ${name} = '${value}'`),
    // PostgreSQL 17 and later.
    `SELECT set_config('transaction_timeout', '0', ${isLocal}) WHERE current_setting('server_version_num')::int >= 170000`,
  ]
    .map((statement) => `${statement};`)
    .join('\n');
}
