/** Where the embedded database lives: its *home*, normally `.order-sync/` itself. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { TerminalError } from '../../errors.ts';
import { canHoldFolderOf, isRoot, serverAccount } from './account.ts';
import type { Account } from './child-process.ts';

export const dataFolderOf = (home: string) => join(home, 'postgres');
export const logFileOf = (home: string) => join(home, 'keeper.log');

/**
 * The folder for data, log and keeper of the embedded database of `directory`; created when missing.
 *
 * Root's server runs under another account, which cannot reach a folder below, say, `/root`. Then the home is a folder
 * of its own under `/var/lib` (or a temporary folder), and `.order-sync/location` holds its path.
 *
 * @param directory the folder in which `.order-sync/` is
 * @throws TerminalError when no folder can be written or reached
 */
export async function findHome(directory: string): Promise<string> {
  const own = await createFolder(join(directory, '.order-sync'));
  if (!isRoot()) return own;
  const pointer = join(own, 'location');
  const recorded = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  if (recorded !== '') {
    await mkdir(recorded, { recursive: true });
    return recorded;
  }
  const account = await serverAccount(dataFolderOf(own));
  if (await canHoldFolderOf(account, own)) return own;
  await refuseToLeaveData(own);
  const elsewhere = await reachableHome(own, account);
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
    throw new TerminalError(
      `The folder ${path} for the embedded database cannot be created (${reason}): ` +
        'run order-sync in a folder you can write to, or set DATABASE_URL.',
      { cause },
    );
  }
}

async function refuseToLeaveData(own: string): Promise<void> {
  const data = dataFolderOf(own);
  if ((await stat(data).catch(() => undefined)) === undefined) return;
  throw new TerminalError(
    `The server's account can no longer reach its data in ${data}: let it pass through every folder above ` +
      '(chmod o+x), or set DATABASE_URL.',
  );
}

async function reachableHome(own: string, account: Account): Promise<string> {
  // The same path for every process that looks at the same time.
  const name = createHash('sha256').update(own).digest('hex').slice(0, 16);
  for (const base of ['/var/lib', '/var/tmp', tmpdir()]) {
    const home = join(base, 'order-sync', name);
    if (await isOurs(join(base, 'order-sync'), home, account)) return home;
  }
  throw new TerminalError(
    `The embedded PostgreSQL does not run as root, and the account that runs it cannot reach ${own}: ` +
      'run order-sync as an ordinary user, or in a folder that everyone may pass through (chmod o+x), or set DATABASE_URL.',
  );
}

async function isOurs(shared: string, home: string, account: Account): Promise<boolean> {
  try {
    for (const folder of [shared, home]) {
      await mkdir(folder).catch(() => undefined);
      // Where everyone may write, somebody else could have made the folder first.
      if ((await stat(folder)).uid !== 0) return false;
      await chmod(folder, 0o755);
    }
    return await canHoldFolderOf(account, home);
  } catch {
    return false;
  }
}
