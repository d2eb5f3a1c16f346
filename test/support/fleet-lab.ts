/** Many simulated shops, and worker processes that share them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Client } from 'pg';

import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts';
import { type Running, startCommand, untilSaid } from './command-line.ts';
import { differences } from './truth.ts';
import { patienceMs } from './patience.ts';
import { openFolder } from './scratch-folder.ts';
import { until, within } from './until.ts';

export type LabShop = { readonly key: string; readonly simulator: Simulator };

export type Lab = AsyncDisposable & {
  readonly shops: readonly LabShop[];
  readonly client: Client;
  readonly databaseUrl: string;
  readonly shopsFile: string;
  /** A worker process, and where its ops server listens once it does. */
  startWorker(env?: Readonly<Record<string, string>>): Running & { readonly url: Promise<string> };
};

/**
 * @param database a fresh one, which is closed with the lab
 * @param settings of each shop beyond those that it must have
 */
export async function openLab(
  database: AsyncDisposable & { readonly url: string },
  count: number,
  options: SimulatorOptions,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Lab> {
  await using stack = new AsyncDisposableStack();
  stack.use(database);
  const shops: LabShop[] = [];
  for (let index = 0; index < count; index++) {
    const simulator = stack.use(await startSimulator({ ...options, seed: index + 1 }));
    shops.push({ key: `shop-${index + 1}`, simulator });
  }
  const shopsFile = join(stack.use(await openFolder('lab')).path, 'shops.yaml');
  await writeShopsFile(shopsFile, shops, settings);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  stack.defer(() => client.end());
  const running = new Set<Running>();
  stack.defer(async () => {
    for (const worker of running) worker.process.kill('SIGKILL');
    await Promise.all([...running].map(({ outcome }) => outcome));
  });
  const startWorker: Lab['startWorker'] = (env = {}) => {
    const own = { SHOPS_FILE: shopsFile, DATABASE_URL: database.url, PORT: '0', SYNC_CRON: '* * * * * *' };
    const worker = startCommand(['worker'], { ...own, ...env }, undefined, undefined, Infinity);
    running.add(worker);
    void worker.outcome.then(() => running.delete(worker));
    const said = untilSaid(worker, 'stderr', /"port":(\d+).*"worker started"/);
    const url = within('the worker is at work', said).then(([, port]) => `http://127.0.0.1:${port}`);
    // Not everybody asks for it.
    url.catch(() => undefined);
    return { ...worker, url };
  };
  const kept = stack.move();
  const parts = { shops, client, databaseUrl: database.url, shopsFile, startWorker };
  return { ...parts, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

export async function writeShopsFile(
  path: string,
  shops: readonly LabShop[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const entries = shops.map(({ key, simulator }) => ({
    key,
    url: simulator.url,
    login: 'admin',
    apiKey: 'simulated-key',
    timezone: 'Europe/Berlin',
    ...settings,
  }));
  // JSON is YAML too.
  await writeFile(path, JSON.stringify({ shops: entries }));
}

/** Waits until the warehouse holds every shop exactly as it is. */
export async function untilEqual({ shops, client }: Lab, timeoutMs = patienceMs()): Promise<void> {
  for (const { key, simulator } of shops) {
    const isEqual = async () => {
      const [first, ...others] = await differences(client, simulator.shop, { shopKey: key });
      return first === undefined ? true : `${first}, and ${others.length} others`;
    };
    await until(`${key} is equal`, isEqual, timeoutMs, 100);
  }
}
