import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openWarehouse, readConfig } from '../../src/cli/open.ts';
import type { CliContext } from '../../src/cli/output/io.ts';
import { withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { createLogin } from '../support/login.ts';
import { openFolder } from '../support/scratch-folder.ts';

test('a password that changed in its file is used by the next connection, but no other address', async () => {
  await using fresh = await freshDatabase();
  await using login = await createLogin(fresh.url, 'order_sync_worker');
  await using folder = await openFolder('password');
  const url = new URL(login.url);
  const file = join(folder.path, 'password');
  await writeFile(file, url.password);
  url.password = '';
  const env = { DATABASE_URL: url.href, DATABASE_PASSWORD_FILE: file };
  const context = contextOf(env);
  await using warehouse = await openWarehouse(context, readConfig(context));
  await warehouse.query('SELECT 1');
  await withClient(fresh.url, async (owner) => {
    await owner.query(`ALTER ROLE ${login.name} PASSWORD 'another'`);
    const ended = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1';
    await owner.query(ended, [login.name]);
  });
  await expect(openWarehouse(context, readConfig(context))).rejects.toThrow(/rejected the user or password/);
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

function contextOf(env: Readonly<Record<string, string>>): CliContext {
  return {
    io: {
      out: () => undefined,
      err: () => undefined,
      isTerminal: false,
      columns: () => 80,
      outColumns: () => undefined,
      outIsOpen: () => true,
    },
    flags: { debug: false, json: false, quiet: true, command: 'status' },
    env,
    isInteractive: false,
    directory: '.',
    readInput: async () => undefined,
    signal: new AbortController().signal,
    onHangup: () => new DisposableStack(),
  };
}
