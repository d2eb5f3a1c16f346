/** A real PgBouncer in front of the test database, where one is installed: it gives each transaction another session. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import type { TestContext } from 'vitest';

import { owned } from './children.ts';
import { freePort } from './listen.ts';
import { openFolder } from './scratch-folder.ts';
import { until } from './until.ts';

export type Bouncer = AsyncDisposable & {
  /** The same database by way of the pooler. */
  readonly url: string;
};

/** It refuses to run as root. */
const NOBODY = 65_534;

/**
 * Skips the test where no PgBouncer is installed.
 *
 * @param serverPort of the server behind it, where that is not the one of the URL
 */
export async function startBouncer(
  { skip }: Pick<TestContext, 'skip'>,
  databaseUrl: string,
  serverPort?: number,
): Promise<Bouncer> {
  if (spawnSync('pgbouncer', ['--version']).status !== 0) skip('PgBouncer is not installed');
  const target = new URL(databaseUrl);
  const { path: directory, ...folder } = await openFolder('bouncer');
  const port = await freePort();
  const users = join(directory, 'users.txt');
  const settings = join(directory, 'pgbouncer.ini');
  await writeFile(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  await writeFile(
    settings,
    `[databases]
${target.pathname.slice(1)} = host=${target.hostname} port=${serverPort ?? target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
server_round_robin = 1
query_wait_timeout = ${serverPort === undefined ? 60 : 1}
server_login_retry = 1
`,
  );
  for (const path of [users, settings]) await chmod(path, 0o755);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const bouncer = owned(spawn('pgbouncer', [settings], { ...user, stdio: 'ignore' }));
  await answering(port, () => bouncer.exitCode !== null);
  const url = new URL(target);
  [url.hostname, url.port] = ['127.0.0.1', String(port)];
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      const ended = once(bouncer, 'exit');
      bouncer.kill('SIGKILL');
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function answering(port: number, hasEnded: () => boolean): Promise<void> {
  await until('PgBouncer answers', async () => {
    if (hasEnded()) throw new Error('PgBouncer ended instead of listening');
    const socket = connect(port, '127.0.0.1');
    // A refused connection is an error, with which `once` rejects.
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  });
}
