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
    return await recreate(client, serverUrl, name);
  } finally {
    await client.end();
  }
}

/** A database that no other process gets in this way until it is disposed; the database stays. */
export type ClaimedDatabase = AsyncDisposable & { readonly url: string; readonly name: string };

/**
 * Does the same with the first of `name`, `name_2`, `name_3` and so on that no other process uses.
 *
 * @param serverUrl any database of the same server, without a pooler in between
 */
export async function claimDatabase(serverUrl: string, name: string): Promise<ClaimedDatabase> {
  const client = new Client({ connectionString: serverUrl });
  // The server may be stopped at any time; what the connection holds is over then.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}_${number}`;
      const { rows } = await client.query<{ is_free: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS is_free',
        [candidate],
      );
      if (rows[0]?.is_free !== true) continue;
      const url = await recreate(client, serverUrl, candidate);
      return { url, name: candidate, [Symbol.asyncDispose]: () => client.end() };
    }
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function recreate(client: Client, serverUrl: string, name: string): Promise<string> {
  await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}
