import { Client, escapeIdentifier } from 'pg';

/** A database that no other process gets in this way until it is disposed; the database stays. */
export type ClaimedDatabase = AsyncDisposable & { readonly url: string; readonly name: string };

/**
 * Drops the first of the databases `name`, `name_2`, `name_3` and so on that no other process uses, if it exists, and creates it
 * empty.
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
      await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(candidate)} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${escapeIdentifier(candidate)}`);
      const url = Object.assign(new URL(serverUrl), { pathname: `/${candidate}` }).href;
      return { url, name: candidate, [Symbol.asyncDispose]: () => client.end() };
    }
  } catch (error) {
    await client.end();
    throw error;
  }
}
