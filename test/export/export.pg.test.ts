/** Views of bi as files: `PARQUET_PYTHON=/path/to/python npx vitest run test/export` has them read by DuckDB and pyarrow, too. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Manifest } from '../../src/export/manifest.ts';
import { readViews, type View } from '../../src/warehouse/query/read-views.ts';
import { type LoadedShop, openLoadedShop, SMALL } from '../bi/loaded-shop.ts';
import { needs } from '../support/needs.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { hasReader, READERS, readParquet } from './parquet-readers.ts';
import { IS_LONG } from '../support/long.ts';

const stack = new AsyncDisposableStack();
let loaded: LoadedShop;
let views: readonly View[];
let folder: string;

beforeAll(async () => {
  loaded = stack.use(await openLoadedShop(IS_LONG ? undefined : SMALL));
  await loaded.warehouse.database.query(UNDATED);
  views = await readViews(loaded.warehouse.database, ['bi']);
  folder = stack.use(await openFolder('export')).path;
});
afterAll(() => stack.disposeAsync());

/** An order whose date nobody can read: it is of no month. */
const UNDATED = `
  UPDATE tested.orders SET created_local = NULL, created_at = NULL, created_on = NULL
  WHERE (shop_id, order_id) = (SELECT max(shop_id), min(order_id) FROM tested.orders)`;

const run = (to: string, ...options: readonly string[]) =>
  runInProcess(['export', '--to', to, '--json', ...options], { DATABASE_URL: loaded.warehouse.url });

async function exportTo(to: string, ...options: readonly string[]) {
  const { code, stdout, stderr } = await run(to, ...options);
  // A slow machine is told of the progress.
  const told = stderr.split('\n').filter((line) => line !== '' && !line.includes('"msg":"progress"'));
  expect({ code, told }).toEqual({ code: 0, told: [] });
  return JSON.parse(stdout);
}

const manifestOf = async (of: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(of, 'manifest.json'), 'utf8'));
const filesOf = async (of: string) =>
  Object.fromEntries(
    (await manifestOf(of)).partitions.map(({ path, rows, sha256 }) => [path, { rows, sha256 }]),
  );

/** The rows of a view, every value as the readers give it. */
async function rowsOf({ name, columns }: View): Promise<readonly string[]> {
  const texts = columns.map(({ name: column, type }) => {
    if (type === 'timestamp with time zone')
      return `CASE WHEN isfinite("${column}") THEN (extract(epoch FROM "${column}") * 1000000)::bigint::text END`;
    return `"${column}"::text`;
  });
  const { rows } = await loaded.warehouse.database.query(
    `SELECT json_build_array(${texts.join(', ')})::text AS row FROM bi.${name}`,
  );
  return rows.map(({ row }) => JSON.stringify(JSON.parse(row))).toSorted();
}

// Ages of days and orders grow meanwhile.
const UNSTEADY = ['completeness', 'sync_freshness', 'customer_rfm'];

describe('Parquet', () => {
  const steady = () => views.filter(({ name }) => !UNSTEADY.includes(name));
  const to = () => join(folder, 'all');
  beforeAll(() => exportTo(to(), '--view', ...steady().map(({ name }) => name)));

  test('no folder is named like a column of its files', async () => {
    const { columns, partitions } = await manifestOf(to());
    for (const { path, view } of partitions) {
      const keys = [...path.matchAll(/([^/]+)=/g)].map(([, key]) => key);
      const names = (columns[view] ?? []).map(({ name }) => name);
      expect(
        names.filter((name) => keys.includes(name)),
        path,
      ).toEqual([]);
    }
  });

  for (const reader of READERS) {
    const known = needs(hasReader(reader), `PARQUET_PYTHON has no ${reader}`);
    test(
      `has the rows that SQL returns for every view, to the digit, when ${reader} reads it`,
      known,
      async () => {
        const { partitions } = await manifestOf(to());
        const paths = partitions.map(({ path }) => join(to(), path));
        const files = await readParquet(reader, paths);
        for (const view of steady()) {
          const own = partitions.filter((one) => one.view === view.name);
          const read = own.flatMap(({ path }) => files[join(to(), path)] ?? []);
          expect(read.map((row) => JSON.stringify(row)).toSorted(), view.name).toEqual(await rowsOf(view));
        }
      },
    );
  }
});

test('CSV has the same rows, by shop and month', async () => {
  const to = join(folder, 'csv');
  await exportTo(to, '--format', 'csv', '--view', 'orders');
  const { partitions } = await manifestOf(to);
  expect(partitions.map(({ path }) => path)).toContain('orders/shop_key=test/month=2025-11/part.csv');
  const { rows } = await loaded.warehouse.database.query(
    `SELECT shop, to_char(order_date, 'YYYY-MM') AS month, count(*)::int AS rows FROM bi.orders GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  expect(partitions.map(({ shop, month, rows: count }) => ({ shop, month, rows: count }))).toEqual(rows);
  const text = await readFile(join(to, 'orders/shop_key=test/month=2025-11/part.csv'), 'utf8');
  expect(text).toMatch(/^shop_id,shop,order_id,order_date,/);
  // A view is written once, however often it is named.
  const twice = join(folder, 'twice');
  await exportTo(twice, '--format', 'csv', '--view', 'orders', 'bi.orders', 'orders');
  expect(Object.keys(await filesOf(twice))).toEqual(partitions.map(({ path }) => path));
  expect((await manifestOf(twice)).partitions).toHaveLength(partitions.length);
  // What an export of another view leaves alone stays, in the manifest and in the folder.
  await exportTo(to, '--format', 'csv', '--view', 'shops');
  expect(await readFile(join(to, 'orders/shop_key=test/month=2025-11/part.csv'), 'utf8')).toBe(text);
  const after = await manifestOf(to);
  expect(after.partitions.filter(({ view }) => view === 'orders')).toEqual(partitions);
  expect(after.partitions.filter(({ view }) => view === 'shops')).not.toEqual([]);
  expect(Object.keys(after.columns).toSorted()).toEqual(['orders', 'shops']);
});

describe('an export into the same folder', () => {
  test(
    'writes only what changed, and ends with the same files as an export into an empty folder',
    { timeout: 300_000 },
    async () => {
      const { simulator, warehouse } = loaded;
      const { shop } = simulator;
      const clock = testClock(Temporal.Instant.from('2025-11-20T12:00:00Z'));
      const sweep = async () => {
        const means = { now: clock.now, through: withoutGroups };
        await sweepOnce(simulator, warehouse.db, { kind: 'backfill', force: true }, {}, means);
        clock.pass({ minutes: 10 });
      };
      const orders = shop.orders().filter(({ createdText }) => createdText === null);
      const move = (at: number, day: string) =>
        shop.moveOrder(orders[at]?.orderId ?? 0, Temporal.PlainDateTime.from(`${day}T10:00`));
      move(30, '2024-01-01');
      await sweep();
      const to = join(folder, 'again');
      // By orders, by month and whole.
      const others = IS_LONG ? ['order_lines', 'open_orders'] : [];
      const which = ['--view', 'orders', 'daily_sales', 'shops', ...others];
      const first = await exportTo(to, ...which);
      expect(await exportTo(to, ...which)).toMatchObject({
        files_written: 0,
        files_unchanged: first.files_written,
        rows: 0,
      });
      const changes = [
        () => shop.editOrder(orders[10]?.orderId ?? 0),
        () => move(20, '2025-11-01'),
        () => move(31, '2023-01-01'),
        () => shop.deleteOrder(orders[40]?.orderId ?? 0),
        () => move(30, '2025-11-02'),
      ];
      const older = join(folder, 'older');
      await cp(to, older, { recursive: true });
      const rounds = IS_LONG ? changes.map((change) => [change]) : [changes];
      for (const [round, together] of rounds.entries()) {
        for (const change of together) change();
        // The second sweep is sure that an order is deleted.
        await sweep();
        await sweep();
        const elsewhere = join(folder, `since-${round}`);
        const since = ['--since', join(to, 'manifest.json')];
        const apart = await exportTo(elsewhere, ...which, ...since);
        const again = await exportTo(to, ...which);
        // The same rows in another order take another number of bytes.
        const elided = { folder: '', seconds: 0, bytes: 0 };
        expect({ ...again, ...elided }, `round ${round}`).toEqual({ ...apart, ...elided });
        expect(again.files_written).toBeLessThan(first.files_written / 2);
        expect(again.files_written).toBeGreaterThan(0);
        const whole = join(folder, `whole-${round}`);
        await exportTo(whole, ...which);
        expect(rowCounts(await filesOf(to)), `round ${round}`).toEqual(rowCounts(await filesOf(whole)));
        expect(await contents(to)).toEqual(await contents(whole));
      }
      expect(
        await exportTo(older, ...which, '--since', join(to, 'manifest.json')),
        'the given manifest counts, not the one of the folder',
      ).toMatchObject({ files_written: 0 });
      const emptied = 'orders/shop_key=test/month=2024-01/part.parquet';
      expect((await manifestOf(to)).removed).toContain(emptied);
      await expect(readFile(join(to, emptied))).rejects.toThrow('ENOENT');
    },
  );
});

const rowCounts = (files: Awaited<ReturnType<typeof filesOf>>) =>
  Object.fromEntries(Object.entries(files).map(([path, { rows }]) => [path, rows]));

/** All rows of the files that a manifest names. */
async function contents(of: string): Promise<readonly string[]> {
  const paths = Object.keys(await filesOf(of)).map((path) => join(of, path));
  const files = Object.values(await readParquet('hyparquet', paths));
  return files.flatMap((rows) => rows.map((row) => JSON.stringify(row))).toSorted();
}

test('the manifest says which days of a month are verified, and as of when', async () => {
  const to = join(folder, 'verified');
  await loaded.warehouse.database.query(
    `UPDATE tested.days SET verified_at = verified_at - interval '1 hour' WHERE day = '2025-10-20'`,
  );
  await exportTo(to, '--view', 'orders');
  const { verification } = await manifestOf(to);
  const { rows } = await loaded.warehouse.database.query(
    `SELECT min(verified_at) AS as_of FROM bi.completeness WHERE shop = 'test' AND day >= '2025-10-01' AND day < '2025-11-01'`,
  );
  const october = verification.find(({ shop, month }) => shop === 'test' && month === '2025-10');
  expect(Temporal.Instant.from(october?.as_of ?? '').epochMilliseconds).toBe(
    rows[0]?.as_of.epochMilliseconds,
  );
  expect(october?.unverified).toEqual([]);
  // The twin was never swept.
  const twin = verification.find(({ shop, month }) => shop === 'twin' && month === '2025-10');
  expect(twin).toMatchObject({ as_of: null, unverified: [{ from: '2025-10-01', to: '2025-10-31' }] });
  await loaded.warehouse.database.query(
    `UPDATE tested.days SET verified_at = NULL WHERE day IN ('2025-10-10', '2025-10-11')`,
  );
  await exportTo(to, '--view', 'orders');
  expect((await manifestOf(to)).verification).toContainEqual({
    ...october,
    as_of: null,
    unverified: [{ from: '2025-10-10', to: '2025-10-11' }],
    unverified_lines: [{ from: '2025-10-10', to: '2025-10-11' }],
  });
});

test('a folder that cannot be written is reported at once', async () => {
  const file = join(folder, 'no-folder');
  await writeFile(file, '');
  // Linux shows processes in the other: a folder that is there and takes nothing, from whomever.
  for (const to of [file, join(file, 'lake'), '/proc/self/task', '/proc/lake']) {
    const refused = await run(to);
    expect(refused, refused.stdout).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(
      /^(--to \S+ cannot be written \([A-Z]+\)|\S+manifest.json cannot be read)[.]\n$/,
    );
  }
});

test('an export that is interrupted leaves no file that is incomplete, and the next one completes it', async () => {
  const to = join(folder, 'interrupted');
  const which = ['--view', 'orders', 'shops'];
  const interrupt = new AbortController();
  interrupt.abort();
  const stopped = await runInProcess(
    ['export', '--to', to, ...which],
    { DATABASE_URL: loaded.warehouse.url },
    interrupt.signal,
  );
  expect(stopped.code).toBe(130);
  await expect(readFile(join(to, 'manifest.json'))).rejects.toThrow('ENOENT');
  const { files_written: written } = await exportTo(to, ...which);
  expect(written).toBe((await manifestOf(to)).partitions.length);
});

test('a file that somebody removed is written again, and so are those that another version wrote', async () => {
  const to = join(folder, 'csv');
  const again = async () => exportTo(to, '--format', 'csv', '--view', 'orders', 'daily_sales');
  const { files_written: written, files_unchanged: unchanged } = await again();
  for (const view of ['orders', 'daily_sales']) {
    const path = join(to, `${view}/shop_key=test/month=2025-11/part.csv`);
    const before = await readFile(path, 'utf8');
    await writeFile(`${path}.tmp`, 'half a fi');
    await rm(path);
    expect(await again(), view).toMatchObject({ files_written: 1 });
    expect(await readFile(path, 'utf8')).toBe(before);
  }
  const { columns, partitions, ...rest } = await manifestOf(to);
  const lacking = Object.entries(columns).map(([view, known]) => [view, known.slice(1)]);
  const earlier = partitions.map((partition) => ({ ...partition, sha256: '' }));
  const manifest = { ...rest, columns: Object.fromEntries(lacking), partitions: earlier };
  await writeFile(join(to, 'manifest.json'), JSON.stringify(manifest));
  expect(await again()).toMatchObject({ files_written: written + unchanged, files_unchanged: 0 });
});

test('orders grow older though none of them changes', async () => {
  const exportIn = async (zone: string) => {
    const set = "UPDATE core.shops SET timezone = $1 WHERE shop_key = 'test'";
    await loaded.warehouse.database.query(set, [zone]);
    return exportTo(join(folder, 'ages'), '--view', 'open_orders');
  };
  // It is never the same day in both.
  const { files_written: written } = await exportIn('Etc/GMT+12');
  expect(written).toBeGreaterThan(0);
  const later = await exportIn('Pacific/Kiritimati');
  expect(later.files_written).toBeGreaterThan(0);
  expect(await exportIn('Europe/Berlin')).toMatchObject({ files_removed: 0 });
});

test('what cannot be exported is refused', async () => {
  const csv = join(folder, 'csv');
  const refusals: readonly (readonly [args: readonly string[], says: string])[] = [
    [[csv], 'of the format csv'],
    [[folder, '--view', 'ordrs'], 'sql --views'],
    // Persons are in no view of bi.
    [[folder, '--view', 'order_contacts'], 'no view order_contacts in bi'],
    [[folder, '--since', join(folder, 'absent.json')], 'there is no such file'],
    [[folder, '--since', join(csv, 'orders/shop_key=test/month=2025-11/part.csv')], 'not the manifest'],
    [[join(csv, 'manifest.json')], 'cannot be'],
  ];
  for (const [[to = '', ...options], says] of refusals) {
    const { code, stdout } = await run(to, ...options);
    expect({ code, stdout }, says).toEqual({ code: 2, stdout: expect.stringContaining(says) });
  }
});

test('the export contains nothing that a reader of bi may not read', async () => {
  const { database } = loaded.warehouse;
  await database.query('REVOKE SELECT ON bi.products FROM bi_reader');
  try {
    const { code, stdout } = await run(join(folder, 'refused'), '--view', 'products');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('permission denied for view products'),
    });
  } finally {
    await database.query('SELECT ops.grant_to_roles()');
  }
});
