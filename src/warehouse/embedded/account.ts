/** Under which account PostgreSQL runs: it refuses to run as root. */
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { TerminalError } from '../../errors.ts';
import { type Account, run } from './child-process.ts';

const SERVER_ACCOUNT = 'postgres';

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The account for the server of a data folder: our own, unless we are root; then the owner of the data where there is
 * some, else the account `postgres`, which is created when the system has none.
 *
 * @throws TerminalError when there is no such account and it cannot be created
 */
export async function serverAccount(dataFolder: string): Promise<Account> {
  if (!isRoot()) return {};
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const existing = await lookUp(SERVER_ACCOUNT);
  if (existing !== undefined) return existing;
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  const created = await run('useradd', [...options, SERVER_ACCOUNT]);
  const account = await lookUp(SERVER_ACCOUNT);
  if (account !== undefined) return account;
  throw new TerminalError(
    'The embedded PostgreSQL cannot run as root, and the account "postgres" to run it could not be created ' +
      `(${created.output.trim()}): create it, run order-sync as another user, or set DATABASE_URL.`,
  );
}

/** Whether the account can use a folder made for it inside `parent`: tried, since modes do not tell everything. */
export async function canHoldFolderOf(account: Account, parent: string): Promise<boolean> {
  if (account.uid === undefined) return true;
  const probe = await mkdtemp(join(parent, 'probe-'));
  try {
    await giveTo(account, probe);
    return (await run('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', probe], { account })).ok;
  } catch {
    return false;
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** Makes the account the owner of a file or folder. */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (account.uid === undefined || account.gid === undefined) return;
  await chown(path, account.uid, account.gid);
}

async function lookUp(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}
