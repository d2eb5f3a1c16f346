/** Before the tests: the program as it is shipped, a server, and on it a database with all migrations that every test copies. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { TestProject } from 'vitest/node';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/migrations.ts';
import { openTestServer, SMALL } from './database-server.ts';
import { removedInTheEnd } from './scratch-folder.ts';
import { type BystanderRows, readBystander } from './bystander.ts';
import { loadBystander } from './load-bystander.ts';
import { inDatabase, withClient } from './database-clients.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to another one
  interface ProvidedContext {
    testDatabases: TestDatabases;
    /** The folder of the built program. */
    testProgram: string;
  }
}

export type TestDatabases = {
  /** Of the server's database for administration. */
  readonly serverUrl: string;
  readonly template: string;
  /** As the template, without the bystander. */
  readonly emptyTemplate: string;
  /** How the names of this run's databases begin; other runs may share the server. */
  readonly prefix: string;
  /** The rows of the bystander in each copy of the template. */
  readonly bystander: BystanderRows;
};

const ROOT = join(import.meta.dirname, '../..');

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  // Without a listener a signal ends the process without the last word that removes what is in memory.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(130));
  const started = performance.now();
  const program = join(ROOT, `dist-test-${randomBytes(4).toString('hex')}`);
  stack.use(removedInTheEnd(program));
  await promisify(execFile)(process.execPath, ['.ci/bundle.ts', program], { cwd: ROOT });
  project.provide('testProgram', program);
  const server = stack.use(await openTestServer(say, SMALL));
  const prefix = `order_sync_test_${randomBytes(4).toString('hex')}`;
  const [template, emptyTemplate] = [`${prefix}_template`, `${prefix}_empty`];
  stack.defer(() => dropAll(server.url, prefix));
  await withClient(server.url, (client) => client.query(`CREATE DATABASE ${emptyTemplate}`));
  await migrate(inDatabase(server.url, emptyTemplate));
  await withClient(server.url, (client) =>
    client.query(`CREATE DATABASE ${template} TEMPLATE ${emptyTemplate}`),
  );
  const url = inDatabase(server.url, template);
  await loadBystander(url);
  const bystander = await withClient(url, readBystander);
  for (const name of [template, emptyTemplate]) {
    // A database in use cannot be copied, so nobody may use it.
    await withClient(server.url, (client) =>
      client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`),
    );
  }
  say(`${server.name}, ready in ${Math.round(performance.now() - started)} ms`);
  project.provide('testDatabases', {
    serverUrl: server.url,
    template,
    emptyTemplate,
    prefix,
    bystander,
  });
  const kept = stack.move();
  return () => kept.disposeAsync();
}

function say(line: string): void {
  process.stdout.write(`test database: ${line}\n`);
}

async function migrate(url: string): Promise<void> {
  await using database = await openDatabase(url, 1);
  await runMigrations(database);
}

/** The template, and what tests that were killed have left. */
async function dropAll(serverUrl: string, prefix: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const query = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)';
    const left = await client.query<{ datname: string }>(query, [prefix]);
    for (const { datname } of left.rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  });
}
