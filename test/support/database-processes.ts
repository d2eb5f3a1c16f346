/** Processes that use an embedded database, to be ended gently or killed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { owned } from './children.ts';
import { withClient } from './database-clients.ts';
import { DATABASE_USER_SCRIPT } from './database-user.ts';
import { within } from './until.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const SCRIPT = relative(CHECKOUT, DATABASE_USER_SCRIPT);

type Account = { readonly uid?: number; readonly gid?: number };
type UserOptions = { readonly account?: Account; readonly checkout?: string; readonly visits?: number };

export type DatabaseUser = AsyncDisposable & {
  readonly url: string;
  /** Lets the process close its database and end. */
  leave(): Promise<void>;
  kill(): Promise<void>;
  /** As when everything of a session or container is killed but the server. */
  killWithSupervisor(): Promise<void>;
  killSupervisor(): void;
};

/** Starts a process that opens the database of a folder, or opens and closes it as many times as there are `visits`. */
export function startingUser(directory: string, options: UserOptions = {}) {
  const { account = {}, checkout = CHECKOUT, visits = 0 } = options;
  const args = [join(checkout, SCRIPT), directory, String(visits)];
  // In a group of its own, to be signalled as the terminal does.
  const child = owned(spawn(nodeOf(checkout), args, { ...account, cwd: directory, detached: true }));
  const ended = once(child, 'exit').then(([exitCode]) => exitCode as number | null);
  const complaint = text(child.stderr);
  const open = async () => {
    const line = once(createInterface({ input: child.stdout }), 'line');
    const [url] = await within('the process opens its database', Promise.race([line, ended.then(() => [])]));
    if (typeof url !== 'string') throw new Error(`the process opened no database: ${await complaint}`);
    return url;
  };
  const opened = open();
  opened.catch(() => undefined);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { child, opened, ended, complaint, kill, [Symbol.asyncDispose]: kill };
}

/** Starts a process that opens the database of a folder; settles when that is open. */
export async function startUser(directory: string, options: UserOptions = {}): Promise<DatabaseUser> {
  const { child, opened, ended, kill } = startingUser(directory, options);
  const url = await opened;
  const leave = async () => {
    child.stdin.end();
    await within('the process closes its database', ended);
  };
  const killSupervisor = () => {
    // The server may be a child of the user, too.
    const isSupervisor = (command: string) => command.includes('stop-abandoned');
    const supervisor = processesOf(directory).find(
      ({ parent, command }) => parent === child.pid && isSupervisor(command),
    );
    if (supervisor === undefined) throw new Error('the user has no supervisor');
    process.kill(supervisor.pid, 'SIGKILL');
  };
  const killWithSupervisor = async () => {
    killSupervisor();
    await kill();
  };
  return { url, leave, kill, killSupervisor, killWithSupervisor, [Symbol.asyncDispose]: kill };
}

/** What runs for the database of a folder besides its users: the server and the supervisors. */
export function processesOf(directory: string) {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => line.includes(join(directory, '.order-sync')));
  return lines.map((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), command: command.join(' ') };
  });
}

/** The first row of a query on a connection of its own. */
export async function firstRow(url: string, query: string): Promise<unknown> {
  return withClient(url, async (client) => (await client.query<object>(query)).rows[0]);
}

/** An account other than our own where we may choose one; else our own. */
export function ordinaryAccount(): Account {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
}

/** This checkout where the account can read it, else a copy in a temporary folder. */
export function checkoutFor(account: Account): Disposable & { readonly path: string } {
  const probe = ['-e', 'require("node:fs").accessSync(process.argv[1])', join(CHECKOUT, SCRIPT)];
  if (spawnSync(process.execPath, probe, { ...account, cwd: '/' }).status === 0) {
    return { path: CHECKOUT, [Symbol.dispose]: () => undefined };
  }
  const path = mkdtempSync(join(tmpdir(), 'order-sync-checkout-'));
  chmodSync(path, 0o755);
  for (const name of ['package.json', 'src', 'test', 'node_modules']) {
    cpSync(join(CHECKOUT, name), join(path, name), { recursive: true, verbatimSymlinks: true });
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Our own Node, or its copy in a copied checkout. */
function nodeOf(checkout: string): string {
  const place = relative(CHECKOUT, process.execPath);
  return place.startsWith('..') ? process.execPath : join(checkout, place);
}
