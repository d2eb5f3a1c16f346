/** A database of its own for a test. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { DatabaseError, Pool } from 'pg';
import { assertUntouched } from './bystander.ts';
import { inDatabase, withClient } from './database-clients.ts';
import { provided } from './provided.ts';

export type TestDatabase = AsyncDisposable & { readonly url: string };

/** Some process, such as autovacuum, looks into the template at this moment. */
const OBJECT_IN_USE = '55006';
const COPY_ATTEMPTS = 20;
const RETRY_MS = 100;

/**
 * A new database with all migrations and the bystander. Disposing drops it, whoever is still connected.
 *
 * @throws Error while disposing, where something reached the rows of the bystander
 */
export async function freshDatabase(): Promise<TestDatabase> {
  const { template, bystander } = provided('testDatabases');
  const copied = await copyOf(template);
  const close = async () => {
    try {
      await withClient(copied.url, (client) => assertUntouched(client, bystander));
    } finally {
      await copied[Symbol.asyncDispose]();
    }
  };
  return { url: copied.url, [Symbol.asyncDispose]: close };
}

/** A new database with all migrations and no rows but theirs, for what is about the database and not about shops. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return copyOf(provided('testDatabases').emptyTemplate);
}

/** A new database without any table. */
export async function blankDatabase(): Promise<TestDatabase> {
  return copyOf('template1');
}

async function copyOf(template: string): Promise<TestDatabase> {
  const { serverUrl, prefix } = provided('testDatabases');
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await copy(serverUrl, template, name);
  const drop = async () => {
    await onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url: inDatabase(serverUrl, name), [Symbol.asyncDispose]: drop };
}

async function copy(serverUrl: string, template: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
      return;
    } catch (error) {
      const isPassing = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!isPassing || attempt === COPY_ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

const servers = new Map<string, Pool>();

/** Over connections that stay open: to open one takes as long as to make a database. */
async function onServer(serverUrl: string, statement: string): Promise<void> {
  const known = servers.get(serverUrl);
  const pool = known ?? new Pool({ connectionString: serverUrl, max: 4, allowExitOnIdle: true });
  if (known === undefined)
    servers.set(
      serverUrl,
      pool.on('error', () => undefined),
    );
  await pool.query(statement);
}
