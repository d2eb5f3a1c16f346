/** The database that needs no setting: a real PostgreSQL beside the current folder's files. */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { TerminalError } from '../model/errors.ts';
import { dataFolderOf, findHome, logFileOf } from './home.ts';
import { takeLock } from './lock.ts';
import { detachedOptions } from './programs.ts';
import { joinServer, type Registration, type Settings, unregister } from './server.ts';

export type EmbeddedDatabase = AsyncDisposable & {
  /** `postgres://` with the password, for any client on this machine. */
  readonly url: string;
  /** Waits until the server is down when nobody else uses it. End your connections first; it would cut them. */
  close(): Promise<void>;
};

/** Beside this file, as it is and as it is built. */
const STOP_SCRIPT = new URL(`stop-abandoned${extname(import.meta.filename)}`, import.meta.url);

/**
 * Opens the embedded database in `.order-sync/` of a folder: creates it on first use, starts its server unless another
 * process has done so, and shares that server with every process that opens the same folder.
 *
 * @param options.settings count only for the process that starts the server
 * @throws TerminalError when there is no server to be had: what is wrong, what to do, and where the log is
 */
export async function openEmbedded(options: {
  readonly directory: string;
  readonly settings?: Settings;
}): Promise<EmbeddedDatabase> {
  const home = await findHome(options.directory);
  const supervisor = superviseThisProcess(home);
  let closing: Promise<void> | undefined;
  const join = async () => {
    const registration = await joinUnderLock(home, options.settings ?? {});
    // A server that was killed comes back under the same address.
    registration.session.once('end', () => {
      if (closing !== undefined) return;
      joining = join();
      joining.catch(() => undefined);
    });
    return registration;
  };
  let joining: Promise<Registration> = join();
  const { url } = await joining.catch((error: unknown) => {
    supervisor.kill();
    throw error;
  });
  const leave = async () => {
    const registration = await joining.catch(() => undefined);
    // Nobody else comes when the whole folder is gone, and with it the lock.
    using _lock = await takeLock(home).catch(() => undefined);
    if (registration !== undefined) await unregister(registration, dataFolderOf(home)).catch(() => undefined);
    supervisor.kill();
  };
  const close = () => (closing ??= leave());
  return { url, close, [Symbol.asyncDispose]: close };
}

async function joinUnderLock(home: string, settings: Settings): Promise<Registration> {
  try {
    using _lock = await takeLock(home);
    return await joinServer(home, settings);
  } catch (cause) {
    if (cause instanceof TerminalError) throw cause;
    const output = cause instanceof Error ? cause.message : String(cause);
    throw new TerminalError(
      `The embedded PostgreSQL could not start: ${complaintIn(output)}. Its log: ${logFileOf(home)}; ` +
        'DATABASE_URL names another server',
      { cause },
    );
  }
}

/** What a program complained of last, in its output. */
export function complaintIn(output: string): string {
  const complaint = [...output.matchAll(/(?:FATAL|PANIC|[Ee]rror):\s+(.+)$/gm)].at(-1)?.[1];
  return (complaint ?? output.trim().split('\n').at(-1))?.trim() || 'it gave no reason';
}

/**
 * Starts a shell that outlives this process and then has the server stopped if nobody else uses it: no other command
 * would ever adopt one in a temporary folder. It wakes when the system closes the pipe between us, however we ended;
 * until then it costs next to nothing, unlike a second Node.js.
 */
function superviseThisProcess(home: string) {
  const command = ['-c', 'read -r _; exec "$@"', 'sh', process.execPath, fileURLToPath(STOP_SCRIPT), home];
  const shell = spawn('/bin/sh', command, { ...detachedOptions(), stdio: ['pipe', 'ignore', 'ignore'] });
  // Where it cannot be started, the next command adopts the server.
  shell.once('error', () => undefined);
  shell.unref();
  return shell;
}
