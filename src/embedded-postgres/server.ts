/**
 * The PostgreSQL server of a home: found running or started. Each client holds a shared advisory lock in a session of its
 * own. The server itself takes it back however the client ends, and whoever gets the exclusive lock knows that nobody else
 * is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, DatabaseError } from 'pg';

import { dataFolderOf, logFileOf, NAME, prepareDataFolder, readPassword, serverAccount } from './home.ts';
import { detachedOptions, findBinaries, run } from './programs.ts';

/** Settings of the server, by name. */
export type Settings = Readonly<Record<string, string>>;
export type Registration = { readonly session: Client; readonly url: string };

const SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Reading here and there costs no more than reading on, on the disks of today.
  random_page_cost: '1.1',
  log_checkpoints: 'off',
  // Details and statements in the log would hold customers' data.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};
const PORT_TAKEN = /Address already in use/;
/** What is left of a server that was killed, or of its starter, has not ended yet. */
const NOT_ENDED = /pre-existing shared memory block|lock file .* already exists/;
/** The server is starting up or shutting down. */
const PASSING_CODE = /^57P0[123]$/;
const START_ATTEMPTS = 20;
const PAUSE_MS = 500;
const POLL_MS = 10;
/** Recovery after a crash takes a while. */
const ANSWER_WITHIN_MS = 600_000;
const STOP_WITHIN_MS = 60_000;
/** The advisory lock, in the database `postgres`, which nobody else uses. */
const LOCK = 1;

/**
 * Registers with the server of a home. One that runs already, since others use it or its last user was killed, is taken
 * as it is. Call it under the home's lock.
 *
 * @throws Error with the reason or the server's output when there is none to be had
 */
export async function joinServer(home: string, settings: Settings): Promise<Registration> {
  const [path, deadline] = [dataFolderOf(home), Date.now() + ANSWER_WITHIN_MS];
  let child: ChildProcess | undefined;
  let output = '';
  for (let attempt = 1; Date.now() < deadline; await sleep(POLL_MS)) {
    const registration = await register(path).catch((error: unknown) => {
      child?.kill('SIGINT');
      throw error;
    });
    if (registration !== undefined) return registration;
    if (child?.exitCode === null && child.signalCode === null) continue;
    if ((await findPostmaster(path)) !== undefined) continue;
    if (child !== undefined) {
      output = await readFile(logFileOf(home), 'utf8');
      const isPassing = PORT_TAKEN.test(output) || NOT_ENDED.test(output);
      if (!isPassing || attempt++ === START_ATTEMPTS) throw new Error(output);
      await sleep(PAUSE_MS);
    }
    child = await launch(home, settings, PORT_TAKEN.test(output));
  }
  throw new Error(`error: the server on ${path} does not answer; stop that process`);
}

/** Starts the server program; settles when it runs, long before it answers. */
async function launch(home: string, settings: Settings, needsOtherPort: boolean): Promise<ChildProcess> {
  const [path, log] = [dataFolderOf(home), logFileOf(home)];
  const account = await serverAccount(path);
  const binaries = await findBinaries(home, account);
  await prepareDataFolder(home, binaries, account);
  // The port of last time, so that a URL noted yesterday still works.
  const lastStart = await readFile(join(path, 'postmaster.opts'), 'utf8').catch(() => '');
  const lastPort = needsOtherPort ? undefined : /"-p" "(\d+)"/.exec(lastStart)?.[1];
  const flags = Object.entries({ ...SETTINGS, ...settings }).map(([name, value]) => `--${name}=${value}`);
  const args = ['-D', path, '-p', lastPort ?? `${randomInt(10_000, 32_000)}`, ...flags];
  await rename(log, `${log}.1`).catch(() => undefined);
  await using file = await open(log, 'a', 0o600);
  const child = spawn(binaries.postgres, args, {
    ...detachedOptions(account),
    stdio: ['ignore', file.fd, file.fd],
  });
  await once(child, 'spawn');
  child.unref();
  return child;
}

/**
 * Registers a client, for whom the database is created when missing; undefined while the server does not answer yet.
 *
 * @throws DatabaseError when the server answers but refuses
 */
export async function register(dataFolder: string): Promise<Registration | undefined> {
  const { port, isReady = false } = (await findPostmaster(dataFolder)) ?? {};
  if (!isReady) return undefined;
  const password = await readPassword(dataFolder);
  // The server has no certificate, whatever PGSSLMODE asks of others.
  const urlOf = (database: string) =>
    `postgres://${NAME}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
  const session = new Client({ connectionString: urlOf('postgres'), connectionTimeoutMillis: 5_000 });
  session.on('error', () => undefined);
  try {
    await session.connect();
    await session.query(`SELECT pg_advisory_lock_shared(${LOCK})`);
    const found = await session.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
    if (found.rowCount === 0) await session.query(`CREATE DATABASE ${NAME}`);
    return { session, url: urlOf(NAME) };
  } catch (error) {
    await session.end().catch(() => undefined);
    if (!(error instanceof DatabaseError) || PASSING_CODE.test(error.code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Ends a client's session; stops the server and returns true when it was the last one. Call it under the home's lock, so
 * that nobody comes meanwhile.
 */
export async function unregister({ session }: Registration, dataFolder: string): Promise<boolean> {
  try {
    const query = `SELECT pg_advisory_unlock_shared(${LOCK}), pg_try_advisory_lock(${LOCK}) AS last`;
    const { rows } = await session.query<{ last: boolean }>(query);
    const isLast = rows[0]?.last === true;
    if (isLast) await stopServer(dataFolder);
    return isLast;
  } finally {
    await session.end();
  }
}

/** Fast: sessions are ended and everything is written; immediate (recovered at the next start) if that does not end. */
async function stopServer(dataFolder: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT']) {
    const postmaster = await findPostmaster(dataFolder);
    // Not by pg_ctl, which could send it when we are dead and the next client has just come.
    if (postmaster !== undefined) process.kill(postmaster.pid, signal);
    for (const deadline = Date.now() + STOP_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
      if ((await findPostmaster(dataFolder)) === undefined) return;
    }
  }
}

/**
 * The live server of a data folder. It is ready once it lets clients in; before, somebody else may have its port. Removes
 * a pid file whose pid another program has by now: a server sees through every other leftover, but not through that one.
 */
export async function findPostmaster(dataFolder: string) {
  const file = join(dataFolder, 'postmaster.pid');
  // The second line is the folder as the server's command line has it.
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const [pid, folder, , port, , , , status] = lines;
  if (folder === undefined) return undefined;
  // Empty when there is no such process, or only its zombie.
  const commandLine =
    platform() === 'linux'
      ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : (await run('ps', ['-o', 'command=', '-ww', '-p', `${pid}`])).output;
  if (commandLine.includes(folder))
    return { pid: Number(pid), port: Number(port), isReady: status?.trim() === 'ready' };
  await rm(file, { force: true });
  return undefined;
}
