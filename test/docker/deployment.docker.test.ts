import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { until } from '../support/fleet-lab.ts';
import { compose, DATABASE_PORT, docker, IMAGE, NETWORK, opsPort, whyNoDocker } from './compose.ts';

const HARDENED = [
  '--read-only',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--user',
  '1000',
];
const DATABASE_URL = 'postgres://order_sync:demo-database-password@postgres:5432/order_sync';

const statusOf = z.array(
  z.looseObject({
    shop: z.string(),
    is_complete: z.boolean(),
    orders: z.number(),
    orders_without_lines: z.number(),
  }),
);

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

const unreachable = await whyNoDocker();
if (unreachable !== undefined) process.stdout.write(`Docker is not reachable: ${unreachable}\n`);

describe.skipIf(unreachable !== undefined)('in containers', () => {
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

  test('compose brings the demo up until it says that it is complete, and each part does its work', async () => {
    await compose('up', '--detach', '--no-build');
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

    const backfill = await compose(
      'run',
      '--rm',
      '--no-deps',
      'worker',
      'backfill',
      '--force',
      '--from',
      '2026-01-01',
    );
    expect(backfill).toMatch(/due days verified/);
    const inNetwork = ['--network', NETWORK, '--env', `DATABASE_URL=${DATABASE_URL}`];
    const status = await docker('run', '--rm', ...HARDENED, ...inNetwork, IMAGE, 'status');
    expect(status).toContain('Shop demo (Europe/Berlin)');
  });

  test('three workers share the work, each with its own page; told to stop, each ends with 0 in time', async () => {
    await compose('up', '--detach', '--no-build', '--scale', 'worker=3');
    const ready = async () => (await Promise.all([1, 2, 3].map(isReady))).every(Boolean);
    await until('three workers are ready', ready, 120_000);
    const began = performance.now();
    await compose('stop', 'worker');
    expect(performance.now() - began).toBeLessThan(3 * 15_000);
    for (const number of [1, 2, 3]) {
      const name = `order-sync-test-worker-${number}`;
      expect((await docker('inspect', '--format', '{{.State.ExitCode}}', name)).trim()).toBe('0');
    }
  });
});
