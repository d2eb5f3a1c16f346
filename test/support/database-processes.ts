/** Processes that use an embedded database, to be ended gently or killed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { Client } from 'pg';

import { DATABASE_USER_SCRIPT } from './database-user.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const SCRIPT = relative(CHECKOUT, DATABASE_USER_SCRIPT);

type Account = { readonly uid?: number; readonly gid?: number };
export type DatabaseUser = AsyncDisposable & {
  readonly url: string;
  /** Lets the process close its database and end. */
  leave(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts a process that opens the database of a folder; settles when that is open. */
export async function startUser(
  directory: string,
  options: { readonly account?: Account; readonly checkout?: string } = {},
): Promise<DatabaseUser> {
  const { account = {}, checkout = CHECKOUT } = options;
  const child = spawn(nodeOf(checkout), [join(checkout, SCRIPT), directory], { ...account, cwd: directory });
  const ended = once(child, 'exit');
  const complaint = text(child.stderr);
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  if (typeof url !== 'string') throw new Error(`the process opened no database: ${await complaint}`);
  const leave = async () => {
    child.stdin.end();
    await ended;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { url, leave, kill, [Symbol.asyncDispose]: kill };
}

/** The first row of a query on a connection of its own. */
export async function firstRow(url: string, query: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(query)).rows[0];
  } finally {
    await client.end();
  }
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
