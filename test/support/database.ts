/** A database of its own for a test. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { DatabaseError } from 'pg';
import { inDatabase, withClient } from './database-clients.ts';
import { provided } from './provided.ts';

export type TestDatabase = AsyncDisposable & { readonly url: string };

/** Some process, such as autovacuum, looks into the template at this moment. */
const OBJECT_IN_USE = '55006';
const COPY_ATTEMPTS = 20;
const RETRY_MS = 100;

/** A new database with all migrations and no rows but theirs. Disposing drops it, whoever is still connected. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { serverUrl, template, prefix } = provided('testDatabases');
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await copy(serverUrl, template, name);
  const drop = async () => {
    await withClient(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  };
  return { url: inDatabase(serverUrl, name), [Symbol.asyncDispose]: drop };
}

async function copy(serverUrl: string, template: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await withClient(serverUrl, (client) =>
        client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`),
      );
      return;
    } catch (error) {
      const isPassing = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!isPassing || attempt === COPY_ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}
