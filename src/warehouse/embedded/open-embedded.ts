/** The database that needs no setting: a real PostgreSQL beside the current folder's files. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { TerminalError } from '../../errors.ts';
import { explainFailure } from './failure.ts';
import { findHome, logFileOf } from './home.ts';
import { type KeeperLink, linkToKeeper } from './keeper-link.ts';
import { NOT_NEEDED, type Settings } from './keeper-messages.ts';
import { type StartedKeeper, startKeeper } from './start-keeper.ts';

export type EmbeddedDatabase = AsyncDisposable & {
  /** `postgres://` with the password, for any client on this machine. */
  readonly url: string;
  /** A command line to paste that opens the database; it names a file with the password, not the password. */
  readonly psql: string;
  /**
   * Gives the server up, and waits until it is down when nobody else uses it. End your own connections first: the server
   * would cut them. Safe to call twice.
   */
  close(): Promise<void>;
};

const POLL_MS = 50;
/** For a keeper that is at work but not to be reached: it stops its server, which may have much to write. */
const REACH_WITHIN_MS = 150_000;

/**
 * Opens the embedded database in `.order-sync/` of a folder: creates it on first use, starts its server unless another
 * process has done so, and shares that server with every process that opens the same folder.
 *
 * @param options.directory the folder in which `.order-sync/` is or will be
 * @param options.settings server settings by name, such as `fsync`; they count only for the process that starts the server
 * @throws TerminalError when there is no server to be had: what is wrong, what to do, and where the log is
 */
export async function openEmbedded(options: {
  readonly directory: string;
  readonly settings?: Settings;
}): Promise<EmbeddedDatabase> {
  const { directory, settings = {} } = options;
  const home = await findHome(directory);
  const first = await attach(home, settings);
  let current = first;
  let isClosed = false;
  const staying = stayAttached();
  async function stayAttached(): Promise<void> {
    for (;;) {
      await current.lost;
      if (isClosed) return;
      // The keeper was killed, or its server was; without a keeper nobody would stop the server in the end.
      const next = await attach(home, settings).catch(() => undefined);
      if (next === undefined) return;
      current = next;
      if (isClosed) return;
    }
  }
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= leave());
  async function leave(): Promise<void> {
    isClosed = true;
    await current.leave();
    await staying;
    // In case the keeper was replaced meanwhile.
    await current.leave();
  }
  const psql = await psqlCommand(home, first.url);
  return { url: first.url, psql, close, [Symbol.asyncDispose]: close };
}

async function psqlCommand(home: string, url: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const passwordFile = join(home, 'pgpass');
  await writeFile(passwordFile, `${hostname}:${port}:*:${username}:${password}\n`, { mode: 0o600 });
  return `PGPASSFILE=${passwordFile} psql postgres://${username}@${hostname}:${port}${pathname}`;
}

async function attach(home: string, settings: Settings): Promise<KeeperLink> {
  try {
    return await reachKeeper(home, settings);
  } catch (cause) {
    if (cause instanceof TerminalError) throw cause;
    const problem = `error: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new TerminalError(explainFailure('start', problem, logFileOf(home)), { cause });
  }
}

async function reachKeeper(home: string, settings: Settings): Promise<KeeperLink> {
  const deadline = Date.now() + REACH_WITHIN_MS;
  let keeper: StartedKeeper | undefined;
  while (Date.now() < deadline) {
    const link = await linkToKeeper(home);
    if (link !== undefined) return link;
    keeper ??= await startKeeper(home, settings);
    await sleep(POLL_MS);
    const { exitCode, signalCode } = keeper.child;
    if (exitCode === null && signalCode === null) continue;
    // Another keeper is at work, which will be ready or gone soon; or ours has already served and ended.
    if (exitCode !== NOT_NEEDED && exitCode !== 0) {
      throw new TerminalError(explainFailure('start', await keeper.complaint(), logFileOf(home)));
    }
    keeper = undefined;
  }
  throw new TerminalError(explainFailure('start', 'error: its keeper does not answer', logFileOf(home)));
}
