/** Settings of a role that change how a server reads and shows values, and what it lets a session do. */
import { withClient } from './database-clients.ts';

const ODD: Readonly<Record<string, string>> = {
  datestyle: 'German, DMY',
  timezone: 'Asia/Kathmandu',
  intervalstyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  client_min_messages: 'error',
  // Too short for a migration of a large warehouse, and too long to be met in a test.
  statement_timeout: '1min',
  lock_timeout: '1min',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
};

/** Sets them for the user of a URL, in its database alone; sessions that are opened from then on have them. */
export async function makeOdd(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const name = (text: string) => client.escapeIdentifier(text);
    const { rows } = await client.query<{ db: string; role: string }>(
      'SELECT current_database() AS db, current_user AS role',
    );
    const { db = '', role = '' } = rows[0] ?? {};
    for (const [setting, value] of Object.entries(ODD)) {
      await client.query(`ALTER ROLE ${name(role)} IN DATABASE ${name(db)} SET ${setting} = '${value}'`);
    }
  });
}
