/** Where the embedded database lives, its *home*, and under which account: PostgreSQL refuses to run as root. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { TerminalError } from '../errors.ts';
import { type Account, run } from './child-process.ts';

export const dataFolderOf = (home: string) => join(home, 'postgres');
export const logFileOf = (home: string) => join(home, 'server.log');
const isRoot = () => process.getuid?.() === 0;

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
  if (!isRoot() || (await stat(data).catch(() => undefined)) !== undefined) return own;
  const pointer = join(own, 'location');
  const recorded = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  if (recorded !== '') return await createFolder(recorded);
  if ((await run('test', ['-x', own], await serverAccount(data))).ok) return own;
  // The same path for every process that looks at the same time.
  const name = createHash('sha256').update(own).digest('hex').slice(0, 16);
  const elsewhere = await createFolder(join(await createFolder('/var/lib/order-sync'), name));
  await writeFile(pointer, `${elsewhere}\n`);
  return elsewhere;
}

async function createFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    // Other accounts may pass through to the server's folder; each file inside guards itself.
    if (isRoot()) await chmod(path, 0o755);
    return await realpath(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const problem = `The folder ${path} for the embedded database cannot be created (${reason})`;
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
  const owner = await stat(dataFolder).catch(() => undefined);
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
