/** Settings of a role that change how a server reads and shows values, and what it lets a session do. */
import { withClient } from './database-clients.ts';

/** By name: what the role is set to, and what a session of the program has. */
const ODD: Readonly<Record<string, readonly [odd: string, plain: string]>> = {
  datestyle: ['German, DMY', 'ISO, MDY'],
  timezone: ['Asia/Kathmandu', 'UTC'],
  intervalstyle: ['sql_standard', 'postgres'],
  extra_float_digits: ['-15', '1'],
  bytea_output: ['escape', 'hex'],
  standard_conforming_strings: ['off', 'on'],
  quote_all_identifiers: ['on', 'off'],
  array_nulls: ['off', 'on'],
  transform_null_equals: ['on', 'off'],
  search_path: ['bi, core, ops', 'public'],
  client_encoding: ['LATIN1', 'UTF8'],
  session_replication_role: ['replica', 'origin'],
  // Too short for a migration of a large warehouse, and too long to be met in a test.
  statement_timeout: ['1min', '0'],
  lock_timeout: ['1min', '0'],
  idle_in_transaction_session_timeout: ['1min', '0'],
  idle_session_timeout: ['1min', '0'],
  default_transaction_isolation: ['serializable', 'read committed'],
  default_transaction_read_only: ['on', 'off'],
};

export const PLAIN = Object.fromEntries(Object.entries(ODD).map(([name, [, plain]]) => [name, plain]));

/** What the session has of them, as `PLAIN`. */
export const READ_SETTINGS = `
  SELECT json_object_agg(name, current_setting(name)) AS settings FROM unnest('{${Object.keys(ODD).join()}}'::text[]) AS name`;

/** Sets them for the user of a URL, in its database alone; sessions that are opened from then on have them. */
export async function makeOdd(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const name = (text: string) => client.escapeIdentifier(text);
    const { rows } = await client.query<{ db: string; role: string }>(
      'SELECT current_database() AS db, current_user AS role',
    );
    const { db = '', role = '' } = rows[0] ?? {};
    for (const [setting, [odd]] of Object.entries(ODD)) {
      const value = setting === 'search_path' ? odd : `'${odd}'`;
      await client.query(`ALTER ROLE ${name(role)} IN DATABASE ${name(db)} SET ${setting} = ${value}`);
    }
  });
}
