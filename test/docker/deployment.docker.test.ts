import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { SETTING_NAMES } from '../../src/config/settings.ts';
import { VERSION } from '../../src/model/program.ts';
import { documentedIn } from '../docs/documented-commands.ts';
import { until } from '../support/until.ts';
import { needs } from '../support/needs.ts';
import { compose, DATABASE_PORT, docker, IMAGE, inShell, NETWORK, opsPort, whyNoDocker } from './compose.ts';

const HARDENED = [
  '--read-only',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--user',
  '1000',
];
const DEPLOYMENT = 'docs/deployment.md';
const DATABASE_URL = 'postgres://order_sync:demo-database-password@postgres:5432/order_sync';

const statusOf = z.array(
  z.looseObject({
    shop: z.string(),
    is_complete: z.boolean(),
    orders: z.number(),
    orders_without_lines: z.number(),
  }),
);

const composeConfig = z.looseObject({
  services: z.looseObject({
    worker: z.looseObject({
      environment: z.record(z.string(), z.string()),
      ports: z.array(z.looseObject({ target: z.number() })),
    }),
  }),
});

async function isComplete(): Promise<boolean | string> {
  try {
    const page = await fetch(`http://127.0.0.1:${await opsPort()}/status.json`);
    const shops = statusOf.parse(await page.json());
    const isWhole = shops.every((shop) => shop.is_complete && shop.orders_without_lines === 0);
    return (shops.length > 0 && isWhole) || JSON.stringify(shops).slice(0, 300);
  } catch (error) {
    return String(error);
  }
}

async function isReady(worker: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${await opsPort(worker)}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** @param login user and password */
async function as<Result>(login: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: `postgres://${login}@127.0.0.1:${DATABASE_PORT}/order_sync`,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const asBi = <Result>(work: (client: Client) => Promise<Result>) => as('bi:demo-bi-password', work);
const asOwner = <Result>(work: (client: Client) => Promise<Result>) =>
  as('order_sync:demo-database-password', work);

/** The first one on a page. */
async function commandThat(isWanted: (text: string) => boolean, page = DEPLOYMENT): Promise<string> {
  return documentedIn(page, await readFile(page, 'utf8')).find(({ text }) => isWanted(text))?.text ?? 'false';
}

const unreachable = await whyNoDocker();

describe('in containers', needs(unreachable === undefined, `Docker is not reachable: ${unreachable}`), () => {
  beforeAll(async () => {
    await compose('build', 'worker');
    await compose('down', '--volumes', '--remove-orphans');
  });
  afterAll(async () => {
    await compose('down', '--volumes', '--remove-orphans');
  });

  test('the image runs any command without root, capabilities or a writable file, and is healthy as a worker', async () => {
    expect(await docker('run', '--rm', ...HARDENED, IMAGE, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    const user = await docker('run', '--rm', ...HARDENED, '--entrypoint', 'id', IMAGE, '-u');
    expect(user.trim()).toBe('1000');
    // All that runs is bundled: no package, and no tool of the build.
    const files = await docker('run', '--rm', '--entrypoint', 'ls', IMAGE, '-A', '/app');
    expect(files.trim().split('\n').toSorted()).toEqual(['LICENSE', 'dist', 'drizzle', 'package.json']);
  });

  test('the image says what it was built from, and holds no program that runs as another user', async () => {
    const labels = await docker('inspect', '--format', '{{json .Config.Labels}}', IMAGE);
    expect(JSON.parse(labels)).toMatchObject({
      'org.opencontainers.image.version': VERSION,
      'org.opencontainers.image.revision': 'test-revision',
      'org.opencontainers.image.source': 'https://source.example/order-sync',
    });
    const find = ['--user', '0', '--entrypoint', 'find', IMAGE, '/', '-xdev', '-type', 'f', '-perm'];
    expect(await docker('run', '--rm', ...find, '/6000')).toBe('');
    // The search itself works.
    expect(await docker('run', '--rm', ...find, '/111')).toContain('/usr/local/bin/node');
  });

  test('every setting in .env reaches the worker', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-env-'));
    const fixed = ['DATABASE_URL', 'DATABASE_PASSWORD', 'SHOP_API_KEY', 'PORT'];
    const given = Object.fromEntries(
      SETTING_NAMES.filter((name) => !fixed.includes(name)).map((name) => [name, `value of ${name}`]),
    );
    const lines = Object.entries({ ...given, PORT: '9090' }).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder.path, '.env'), lines.join(''));
    const plain = ['--file', 'docker-compose.yml', '--project-directory', folder.path];
    const { services } = composeConfig.parse(
      JSON.parse(await docker('compose', ...plain, 'config', '--format', 'json')),
    );
    expect(services.worker.environment).toMatchObject({ ...given, PORT: '9090' });
    expect(services.worker.ports).toMatchObject([{ target: 9090 }]);
  });

  test('compose brings the demo up until it says that it is complete, and each part does its work', async () => {
    await compose('up', '--detach', '--no-build', '--wait', '--wait-timeout', '120');
    await until('the copy is complete', isComplete, 240_000);
    const sales = await asBi((client) =>
      client.query('SELECT sum(orders)::int AS orders FROM bi.daily_sales'),
    );
    expect(sales.rows[0]?.orders).toBeGreaterThan(100);
    await expect(asBi((client) => client.query('SELECT FROM core.orders'))).rejects.toThrow(
      /permission denied/,
    );
    const users = `SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'order-sync%'`;
    expect((await asOwner((client) => client.query(users))).rows).toEqual([{ usename: 'worker' }]);
    const worker = 'worker:demo-worker-password';
    await expect(as(worker, (client) => client.query('CREATE TABLE core.mine ()'))).rejects.toThrow(
      /permission denied/,
    );
    const health = async () => {
      const state = await docker(
        'inspect',
        '--format',
        '{{.State.Health.Status}}',
        'order-sync-test-worker-1',
      );
      return state.trim() === 'healthy' || state;
    };
    await until('the worker is healthy', health);

    const backfill = ['backfill', '--force', '--from', '2026-01-01'];
    let said = '';
    // The worker may be sweeping the shop.
    await until('the shop is free', async () => {
      try {
        said = await compose('run', '--rm', '--no-deps', 'worker', ...backfill);
        return true;
      } catch (error) {
        if (String(error).includes('is being synced by')) return String(error);
        throw error;
      }
    });
    expect(said).toMatch(/due days verified/);
    const inNetwork = ['--network', NETWORK, '--env', `DATABASE_URL=${DATABASE_URL}`];
    const status = await docker('run', '--rm', ...HARDENED, ...inNetwork, IMAGE, 'status');
    expect(status).toContain('Shop demo (Europe/Berlin)');
    expect(await compose('logs', '--no-log-prefix', 'worker')).toContain('{"level":"info","time":"20');
  });

  test('a simulated shop that was restarted or recreated lists the orders that the copy has', async () => {
    await compose('up', '--detach', '--no-build', '--no-deps', '--force-recreate', 'demo-shop');
    const verify = ['run', '--rm', '--no-deps', 'worker', 'verify'];
    const isServed = async () => {
      try {
        return (await compose(...verify, '--json')).length > 0;
      } catch (error) {
        return String(error);
      }
    };
    // It ends with 4 where anything differs.
    await until('the shop equals the copy', isServed, 60_000);
  });

  test('the password of the owner is changed as documented, and a command runs in the container of a worker', async () => {
    const change = await commandThat((text) => text.startsWith('cat secrets/database-password'));
    await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-secrets-'));
    await mkdir(join(folder.path, 'secrets'));
    const setTo = async (password: string) => {
      await writeFile(join(folder.path, 'secrets/database-password'), `${password}\n`);
      await inShell(change, folder.path);
    };
    await setTo('another');
    await as('order_sync:another', (client) => client.query('SELECT'));
    await expect(asOwner((client) => client.query('SELECT'))).rejects.toThrow(/password/);
    await setTo('demo-database-password');
    await asOwner((client) => client.query('SELECT'));
    await compose('restart', 'worker');
    const status = await compose('exec', '--no-TTY', 'worker', 'order-sync', 'status');
    expect(status).toContain('Shop demo (Europe/Berlin)');
  });

  test('the simulated shop is told to fail as documented, and its image is found by its label', async () => {
    const fail = await commandThat((text) => text.startsWith('docker compose exec demo-shop'));
    await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-faults-'));
    // Fewer, so that the next tests need not wait.
    await inShell(fail.replace(' exec ', ' exec -T ').replace('count: 50', 'count: 1'), folder.path);
    const prune = await commandThat(
      (text) => text.startsWith('docker image prune'),
      'docs/troubleshooting.md',
    );
    const [label = ''] = /label=\S+/.exec(prune) ?? [];
    const names = await docker('image', 'ls', '--filter', label, '--format', '{{.Repository}}:{{.Tag}}');
    expect(names.split('\n')).toContain(IMAGE);
  });

  test('a backup is restored on a new server as documented, and the copy goes on', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-backup-'));
    const commands = documentedIn(DEPLOYMENT, await readFile(DEPLOYMENT, 'utf8')).map(({ text }) => text);
    const at = commands.findIndex((text) => text.includes('pg_dump'));
    const [backup = '', ...restore] = commands.slice(at, at + 5);
    expect(restore.map((text) => text.split(' ').at(-1))).toContain('order_sync.dump');
    const count = async () =>
      (await asOwner((client) => client.query('SELECT count(*)::int AS days FROM ops.days'))).rows[0]?.days;
    const days = await count();
    expect(days).toBeGreaterThan(10);
    await inShell(backup, folder.path);
    await compose('down', '--volumes');
    for (const command of restore) await inShell(command, folder.path);
    expect(await count()).toBe(days);
    await until('the restored copy is complete', isComplete, 240_000);
  });

  test('three workers share the work, each with its own page; one may be killed; told to stop, each ends with 0 in time', async () => {
    await compose('up', '--detach', '--no-build', '--scale', 'worker=3');
    const ready = async () => (await Promise.all([1, 2, 3].map(isReady))).every(Boolean);
    await until('three workers are ready', ready, 120_000);
    await docker('kill', 'order-sync-test-worker-2');
    expect(await Promise.all([isReady(1), isReady(3)])).toEqual([true, true]);
    await compose('start', 'worker');
    await until('the killed worker is back', ready, 120_000);
    const began = performance.now();
    await compose('stop', 'worker');
    expect(performance.now() - began).toBeLessThan(3 * 15_000);
    for (const number of [1, 2, 3]) {
      const name = `order-sync-test-worker-${number}`;
      expect((await docker('inspect', '--format', '{{.State.ExitCode}}', name)).trim()).toBe('0');
    }
  });
});
