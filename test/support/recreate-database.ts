import { Client, escapeIdentifier } from 'pg';

/**
 * Drops a database if it exists, and creates it empty.
 *
 * @param serverUrl any database of the same server
 * @returns the URL of the new database
 */
export async function recreateDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
    return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  } finally {
    await client.end();
  }
}
