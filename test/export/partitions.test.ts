/** Which files a view is divided into, which of them need not be written again, and what is said of them in the manifest. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { UsageError } from '../../src/model/errors.ts';
import { type Manifest, readManifest, writeManifest } from '../../src/export/manifest.ts';
import { findUnchanged, type Partition, partitionPath, toExportView } from '../../src/export/partitions.ts';
import { openFolder } from '../support/scratch-folder.ts';

const view = (name: string, ...columns: readonly string[]) =>
  toExportView({
    schema: 'bi',
    name,
    comment: '',
    columns: columns.map((column) => ({
      name: column,
      type: column === 'n' ? 'integer' : 'date',
      comment: '',
    })),
  });
const ORDERS = view('orders', 'shop_id', 'order_id', 'order_date', 'changed_at');
const SALES = view('daily_sales', 'shop_id', 'day', 'n');
const SHOPS = view('shops', 'shop_id', 'n');
const CALENDAR = view('calendar', 'day');
const part = (of: Partition['view'], changes: Partial<Partition> = {}): Partition => ({
  view: of,
  shop: 'a b/c',
  shopId: 7,
  month: '2026-03',
  orders: null,
  ...changes,
});

test('a view is divided by shop and month where it has them, and follows its orders where nothing else changes it', () => {
  expect(
    [ORDERS, SALES, SHOPS, CALENDAR].map(({ dateColumn, isOfShops }) => [dateColumn, isOfShops]),
  ).toEqual([
    ['order_date', true],
    ['day', true],
    [undefined, true],
    [undefined, false],
  ]);
  expect(view('m', 'shop_id', 'order_month', 'day').dateColumn).toBe('order_month');
  const columns = ['shop_id', 'order_id', 'order_date', 'changed_at'];
  expect(ORDERS.followsOrders).toBe(true);
  for (const lacking of columns.slice(1)) {
    expect(view('v', ...columns.filter((column) => column !== lacking)).followsOrders, lacking).toBe(false);
  }
  expect(view('v', ...columns, 'age_days').followsOrders).toBe(false);
});

test('paths name what a file holds', () => {
  expect(partitionPath(part(ORDERS), 'parquet')).toBe('orders/shop_key=a%20b%2Fc/month=2026-03/part.parquet');
  expect(partitionPath(part(SALES, { month: null }), 'csv')).toBe(
    'daily_sales/shop_key=a%20b%2Fc/month=__HIVE_DEFAULT_PARTITION__/part.csv',
  );
  expect(partitionPath(part(SHOPS), 'csv')).toBe('shops/shop_key=a%20b%2Fc/part.csv');
  expect(partitionPath(part(CALENDAR, { shop: null }), 'csv')).toBe('calendar/part.csv');
});

const AT = '2026-03-02T00:00:00Z';
const entry = (path: string, orders: Manifest['partitions'][number]['orders']) => {
  return {
    view: 'orders',
    shop: 'north',
    month: '2026-03',
    path,
    rows: 3,
    sha256: 'x',
    written_at: AT,
    orders,
  };
};
const manifest = (changes: Partial<Manifest> = {}): Manifest => ({
  version: 1,
  format: 'csv',
  exported_at: AT,
  columns: { orders: ORDERS.columns.map(({ name, type }) => ({ name, type })) },
  partitions: [
    entry('other', null),
    entry('orders/shop_key=north/month=2026-03/part.csv', { count: 3, changed_at: AT }),
  ],
  removed: [],
  verification: [],
  ...changes,
});

test('a file is not written again if the number of its orders and their latest change are the same', () => {
  const north = { shop: 'north' };
  const same = part(ORDERS, { ...north, orders: { count: 3, changed_at: AT } });
  const before = manifest();
  expect(findUnchanged(same, 'csv', before)).toBe(before.partitions[1]);
  const renamed = (before.columns['orders'] ?? []).map(({ name, type }) => ({ name: `old_${name}`, type }));
  const changed: readonly (readonly [Partition, Manifest | undefined])[] = [
    [same, undefined],
    [part(ORDERS, north), before],
    [part(ORDERS, { ...north, orders: { count: 2, changed_at: AT } }), before],
    [part(ORDERS, { ...north, orders: { count: 3, changed_at: '2026-03-03' } }), before],
    [{ ...same, month: '2026-02' }, before],
    [same, manifest({ columns: { orders: [{ name: 'shop_id', type: 'date' }] } })],
    [same, manifest({ columns: { orders: renamed } })],
    [same, manifest({ columns: {} })],
    [same, manifest({ partitions: [] })],
  ];
  for (const [partition, known] of changed) expect(findUnchanged(partition, 'csv', known)).toBeUndefined();
  expect(findUnchanged(same, 'parquet', before)).toBeUndefined();
});

test('a manifest is read as it was written; another file is refused, and a missing one is no error', async () => {
  await using folder = await openFolder('manifest');
  expect(await readManifest(folder.path)).toBeUndefined();
  await writeManifest(folder.path, manifest());
  expect(await readManifest(folder.path)).toEqual(manifest());
  const path = join(folder.path, 'manifest.json');
  const text = await readFile(path, 'utf8');
  expect(text).toMatch(/^\{\n "version": 1,\n[^]*\}\n$/);
  for (const wrong of ['{', text.replace('"version": 1', '"version": 2'), text.replace('"csv"', '"xml"')]) {
    await writeFile(path, wrong);
    await expect(readManifest(folder.path)).rejects.toThrow(UsageError);
    await expect(readManifest(folder.path)).rejects.toThrow(
      /is not the manifest of an export by this version/,
    );
  }
  await expect(readManifest(path)).rejects.toThrow(/cannot be read/);
});
