/**
 * Session settings that the statements of this program rely on, whatever the defaults of the server, database or user: one form
 * for times, intervals, numbers, bytes and names, NULL as the standard has it, triggers that fire, a snapshot per statement, and
 * no time limit on long statements, transactions that wait for a shop, or connections that are kept.
 */
const SETTINGS = {
  search_path: 'public',
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // Only a superuser may change it, so where it is as it should be, nobody tries.
  session_replication_role: 'origin',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // PostgreSQL 17 and later.
  transaction_timeout: '0',
  // For the transactions that come.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
};

/** For `db.transaction` behind a pooler, where no transaction is of a session that has these defaults. */
export const TRANSACTION_MODE = { isolationLevel: 'read committed', accessMode: 'read write' } as const;

/** Prepares a session of our own; sent as one query. */
export const SESSION_SETTINGS = statement(false);

/** Prepares a transaction, where a pooler gives each transaction another session. */
export const TRANSACTION_SETTINGS = `${statement(true)};`;

/** Sets what the server knows and has otherwise. */
function statement(isLocal: boolean): string {
  const wanted = Object.entries(SETTINGS).map(([name, value]) => `('${name}', '${value}')`);
  return `SELECT set_config(name, value, ${isLocal}) FROM (VALUES ${wanted.join(', ')}) AS wanted (name, value)
    WHERE current_setting(name, true) <> value`;
}
