/** Exports into one folder of which one is interrupted, or meets another, and what is written meanwhile. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type ExportProgress, exportViews } from '../../src/export/export-views.ts';
import type { Manifest } from '../../src/export/manifest.ts';
import type { Database } from '../../src/warehouse/db/database.ts';
import { readViews, type View } from '../../src/warehouse/query/read-views.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { sweepOnce, withoutGroups } from '../support/sweep.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

const PRESENT = Temporal.Instant.from('2025-11-16T12:00:00Z');

const stack = new AsyncDisposableStack();
let database: Database;
let views: readonly View[];
let folder: string;

beforeAll(async () => {
  const warehouse = stack.use(await openTestWarehouse());
  await using simulator = makeShopInProcess({ orders: 30, days: 40, seed: 11, now: PRESENT });
  await sweepOnce(simulator, warehouse.db, undefined, {}, { now: () => PRESENT, through: withoutGroups });
  ({ database } = warehouse);
  views = await readViews(database, ['bi']);
  folder = stack.use(await openFolder('export')).path;
});
afterAll(() => stack.disposeAsync());

type Means = {
  readonly connect?: Database['connect'];
  readonly watch?: (read: () => ExportProgress) => void;
};

async function exportTo(to: string, names: readonly string[], means: Means = {}) {
  const { connect = () => database.connect(), watch = () => undefined } = means;
  const request = {
    folder: to,
    format: 'csv',
    views: views.filter(({ name }) => names.includes(name)),
    since: undefined,
    now: Temporal.Now.instant(),
    signal: new AbortController().signal,
  } as const;
  return exportViews({ connect }, request, watch);
}

const digestOf = (bytes: Buffer) => hash('sha256', bytes, 'hex');
const manifestOf = async (of: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(of, 'manifest.json'), 'utf8'));
/** Files that are not what the manifest says of them. */
async function falseFiles(of: string): Promise<readonly string[]> {
  const { partitions } = await manifestOf(of);
  const files = await Promise.all(partitions.map(({ path }) => readFile(join(of, path))));
  return partitions.flatMap(({ path, sha256 }, at) =>
    digestOf(files[at] ?? Buffer.of()) === sha256 ? [] : [path],
  );
}

test('all files of an export show one moment, whatever is written meanwhile', async () => {
  const connect = async () => {
    const client = await database.connect();
    const query = client.query.bind(client);
    client.query = async (...args: readonly unknown[]) => {
      const result = await Reflect.apply(query, client, args);
      if (String(args[0]).includes('pg_try_advisory_xact_lock')) {
        client.query = query;
        await database.query('UPDATE tested.orders SET order_sum = order_sum + 1');
      }
      return result;
    };
    return client;
  };
  const exported = async (to: string, means: Means = {}) => {
    let read: (() => ExportProgress) | undefined;
    const watch = (progress: () => ExportProgress) => {
      read = progress;
    };
    const { rows } = await exportTo(join(folder, to), ['orders'], { ...means, watch });
    expect(read?.(), 'what is told of the progress').toMatchObject({ rows });
    const { partitions } = await manifestOf(join(folder, to));
    const files = partitions.map(({ path }) => readFileSync(join(folder, to, path), 'utf8'));
    return files.flatMap((text) => text.split('\n')).toSorted();
  };
  const before = await exported('before');
  expect(await exported('meanwhile', { connect })).toEqual(before);
  expect(await exported('after')).not.toEqual(before);
});

test('files of an interrupted export are not taken for files of the one before', async () => {
  const to = join(folder, 'interrupted');
  const names = ['statuses', 'shops'];
  await exportTo(to, names);
  const rename = (name: string | null) =>
    database.query('UPDATE tested.order_statuses SET name_local = $1', [name]);
  await rename('renamed');
  // As where it ends once all files are replaced, and the manifest is not.
  const obstacle = join(to, 'manifest.json.tmp');
  await mkdir(obstacle);
  await expect(exportTo(to, names)).rejects.toThrow('EISDIR');
  await rmdir(obstacle);
  expect(await falseFiles(to)).not.toEqual([]);
  await rename(null);
  await exportTo(to, names);
  expect(await falseFiles(to)).toEqual([]);
});

test('two exports do not write into one folder at once', async () => {
  const [to, other] = [join(folder, 'shared'), join(folder, 'other')];
  let meanwhile: unknown;
  const connect = async () => {
    const client = await database.connect();
    const end = client.end.bind(client);
    client.end = async () => {
      meanwhile = await exportTo(to, ['orders']).catch((error: unknown) => error);
      await end();
    };
    return client;
  };
  await exportTo(to, ['orders'], { connect });
  expect(meanwhile).toMatchObject({
    message: expect.stringContaining(`another export writes into ${to}`),
  });
  await Promise.all([exportTo(to, ['orders']), exportTo(other, ['orders'])]);
  expect(await falseFiles(to)).toEqual([]);
});
