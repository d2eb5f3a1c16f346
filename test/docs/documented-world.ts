/** What the commands of the documentation are run in: a folder, a simulated shop, and a PostgreSQL that is theirs alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Client } from 'pg';

import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { owned } from '../support/children.ts';
import { compileCache, mainScript } from '../support/command-line.ts';
import { inDatabase, withClient } from '../support/database-clients.ts';
import { SPEED } from '../support/database-server.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { inRepository } from './markdown.ts';
import { within } from '../support/until.ts';

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type World = AsyncDisposable & {
  /** Where a reader stands: as a checkout has it, and `order-sync` is a command. */
  readonly folder: string;
  readonly simulator: Simulator;
  /** Of the embedded database of this folder, which commands use without `DATABASE_URL`. */
  readonly databaseUrl: string;
  /** Of another database of the same server. */
  readonly warehouseUrl: string;
  readonly client: Client;
  /** Lets go of the server, which then stops. */
  stopDatabase(): Promise<void>;
  /** @param until the text after which a command that goes on by itself gets Ctrl-C */
  run(command: string, env: Readonly<Record<string, string>>, until?: RegExp): Promise<Ended>;
};

export async function openWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack();
  const { path: folder } = opening.use(await openFolder('docs'));
  await layOut(folder);
  const simulator = opening.use(await startSimulator({ orders: 60, days: 20, seed: 17 }));
  const database = opening.use(await openEmbedded({ directory: folder, settings: SPEED }));
  await withClient(inDatabase(database.url, 'postgres'), async (admin) => {
    await admin.query('CREATE DATABASE warehouse');
  });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  let isOpen = true;
  const stopDatabase = async () => {
    if (isOpen) await client.end();
    isOpen = false;
    await database.close();
  };
  opening.defer(stopDatabase);
  const opened = opening.move();
  return {
    folder,
    simulator,
    databaseUrl: database.url,
    warehouseUrl: inDatabase(database.url, 'warehouse'),
    client,
    stopDatabase,
    run: (command, env, until) => run(folder, command, env, until),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function layOut(folder: string): Promise<void> {
  await mkdir(join(folder, 'bin'));
  const start = `#!/bin/sh\nexec '${process.execPath}' '${mainScript()}' "$@"\n`;
  await writeFile(join(folder, 'bin', 'order-sync'), start, { mode: 0o755 });
  await cp(inRepository('deploy'), join(folder, 'deploy'), { recursive: true });
  for (const name of ['docs', '.env.example']) await symlink(inRepository(name), join(folder, name));
}

async function run(
  folder: string,
  command: string,
  env: Readonly<Record<string, string>>,
  until?: RegExp,
): Promise<Ended> {
  // The shell outlives Ctrl-C, and tells how the command ended.
  const spawned = spawn('/bin/sh', ['-ec', `trap : INT; ${command}`], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      NODE_COMPILE_CACHE: compileCache(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a group of its own, as a terminal has it: Ctrl-C reaches all of it.
    detached: true,
  });
  const child = owned(spawned, true);
  const ended = once(child, 'close');
  let [stdout, stderr, isTold] = ['', '', false];
  const tell = () => {
    if (isTold || until?.test(stdout + stderr) !== true || child.pid === undefined) return;
    isTold = true;
    process.kill(-child.pid, 'SIGINT');
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    tell();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    tell();
  });
  await within(`${command} ends`, ended);
  return { code: child.exitCode, stdout, stderr };
}
