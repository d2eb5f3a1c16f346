import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openWarehouse, readConfig } from '../../src/cli/open.ts';
import { cliContext } from '../support/cli-context.ts';
import { withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { createLogin } from '../support/login.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { complete } from '../support/settings.ts';
import { until } from '../support/until.ts';

test('a password that changed in its file is used by the next connection, but no other address', async () => {
  await using fresh = await freshDatabase();
  await using login = await createLogin(fresh.url, 'order_sync_worker');
  await using folder = await openFolder('password');
  const url = new URL(login.url);
  const file = join(folder.path, 'password');
  await writeFile(file, url.password);
  url.password = '';
  const env = { DATABASE_URL: url.href, DATABASE_PASSWORD_FILE: file };
  const context = cliContext({ env });
  await using warehouse = await openWarehouse(context, readConfig(context));
  await warehouse.query('SELECT 1');
  await withClient(fresh.url, async (owner) => {
    await owner.query(`ALTER ROLE ${login.name} PASSWORD 'another'`);
    const ended = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1';
    await owner.query(ended, [login.name]);
  });
  await expect(openWarehouse(context, readConfig(context))).rejects.toThrow(/rejected the user, password/);
  await writeFile(file, 'another\n');
  expect((await warehouse.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  const { currentUrl } = warehouse;
  url.pathname = '/another_database';
  env.DATABASE_URL = url.href;
  expect(new URL(currentUrl()).pathname, 'one process writes to one database').toBe(
    new URL(login.url).pathname,
  );
  await writeFile(file, '');
  // What is wrong for a moment does not count.
  expect(currentUrl()).toContain(login.name);
});

test('a command that waits for a lock reports its holder, and a worker logs it', async () => {
  await using fresh = await freshDatabase();
  const said = { status: '', worker: '' };
  const stop = new AbortController();
  const run = async (command: keyof typeof said) =>
    runInProcess(
      [command],
      { ...complete, DATABASE_URL: fresh.url, OPS_PORT: '0' },
      stop.signal,
      (text) => (said[command] = text),
    );
  await withClient(fresh.url, async (holder) => {
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid;
    await holder.query(`SET application_name = 'a report'; BEGIN; LOCK TABLE ops.migrations`);
    const running = [run('status'), run('worker')];
    await until('both say so', () => Object.values(said).every((text) => text.includes('a report')));
    const holds = `process ${pid} (a report, idle in transaction) holds it; SELECT pg_terminate_backend(${pid}) ends that`;
    expect(said.status).toMatch(/^Warning: waiting for a lock in the database: for \d+ s; process/);
    expect(said.status).toContain(holds);
    const line = said.worker.split('\n').find((text) => text.includes('a report')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      msg: 'waiting for a lock in the database',
      reason: expect.stringContaining(holds),
    });
    await holder.query('ROLLBACK');
    stop.abort();
    await Promise.all(running);
  });
});
