/** The PostgreSQL server for the tests: whichever is to be had on this machine. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { escapeLiteral } from 'pg';

import { withClient } from './database-clients.ts';
import { startEmbedded } from './embedded-server.ts';

export type TestServer = AsyncDisposable & {
  /** Of a database whose user may create others. */
  readonly url: string;
  /** For people: which server this is. */
  readonly name: string;
};

const IMAGE = 'postgres:18';
const CONTAINER_WITHIN_MS = 60_000;
/** Tests lose nothing when the machine fails, so nothing is forced to the disk. */
export const SPEED = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  // As they may be left behind.
  max_prepared_transactions: '2',
  // As in the container, wherever the tests run.
  timezone: 'UTC',
};

/**
 * For many small databases: before each is made, all that is kept in memory is written. With few rows, no plan is better for
 * knowing the parameters. Benchmarks do without.
 */
export const SMALL = {
  ...SPEED,
  shared_buffers: '32MB',
  io_method: 'sync',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  // Half of what it takes to connect is to make a password costly to guess.
  scram_iterations: '1',
};

/**
 * The server of `TEST_DATABASE_URL` if that is set, else a container if Docker answers, else the embedded one.
 *
 * @param report receives a line when a container was tried in vain
 * @param settings of a server that is started here
 */
export async function openTestServer(
  report: (line: string) => void,
  settings: Readonly<Record<string, string>> = SPEED,
): Promise<TestServer> {
  const url = process.env['TEST_DATABASE_URL'] ?? '';
  if (url !== '') return { url, name: 'TEST_DATABASE_URL', [Symbol.asyncDispose]: async () => undefined };
  const server = await startServer(report, settings);
  // It was set before the settings held.
  const password = escapeLiteral(new URL(server.url).password);
  await withClient(server.url, (client) => client.query(`ALTER ROLE CURRENT_USER PASSWORD ${password}`));
  return server;
}

async function startServer(
  report: (line: string) => void,
  settings: Readonly<Record<string, string>>,
): Promise<TestServer> {
  try {
    return await withinTime(startContainer(settings));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(`no ${IMAGE} container (${reason.split('\n')[0]})`);
    const embedded = await startEmbedded(settings);
    return Object.assign(embedded, { name: 'the embedded PostgreSQL' });
  }
}

async function startContainer(settings: Readonly<Record<string, string>>): Promise<TestServer> {
  // The reaper's image cannot be pulled everywhere, and the container is stopped here.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true';
  const { GenericContainer, Wait } = await import('testcontainers');
  const password = randomBytes(12).toString('hex');
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ POSTGRES_PASSWORD: password })
    .withCommand([
      'postgres',
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withExposedPorts(5432)
    // Over TCP: while it sets itself up, the image's server listens on its socket only. And asked until it is ready, not for
    // as long as it runs, as a health check would be.
    .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready --host=127.0.0.1 --username=postgres'))
    .withStartupTimeout(CONTAINER_WITHIN_MS)
    .start();
  return {
    url: `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    name: `a ${IMAGE} container`,
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  };
}

/** Bounds all of it, the pull of the image too; a server that comes too late is put away. */
async function withinTime(starting: Promise<TestServer>): Promise<TestServer> {
  const winner = await Promise.race([starting, sleep(CONTAINER_WITHIN_MS, undefined, { ref: false })]);
  if (winner !== undefined) return winner;
  starting.then((late) => late[Symbol.asyncDispose]()).catch(() => undefined);
  throw new Error(`not ready within ${CONTAINER_WITHIN_MS / 1_000} s`);
}
