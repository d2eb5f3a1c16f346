/** The PostgreSQL server of a home: found running or started. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findBinaries } from './binaries.ts';
import { detachedOptions } from './child-process.ts';
import { type Registration, register } from './client-registry.ts';
import { dataFolderOf, logFileOf, prepareDataFolder, serverAccount } from './home.ts';
import { findPostmaster } from './postmaster.ts';

/** Settings of the server, by name. */
export type Settings = Readonly<Record<string, string>>;

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
const START_ATTEMPTS = 20;
const PAUSE_MS = 500;
const POLL_MS = 10;
/** Recovery after a crash takes a while. */
const ANSWER_WITHIN_MS = 600_000;

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
  const options: SpawnOptions = { ...detachedOptions(account), stdio: ['ignore', file.fd, file.fd] };
  const child = spawn(binaries.postgres, args, options);
  await once(child, 'spawn');
  child.unref();
  return child;
}
