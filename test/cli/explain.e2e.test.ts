import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { runCommand } from '../support/command-line.ts';
import { explainDocument } from '../support/documents/warehouse.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';

const DAY = '2026-03-01';
let warehouse: TestWarehouse;
let shopId: number;
/** Before anything changed. */
let then: string;
const edited = order({ cents: 1_000 });
const deleted = order({ cents: 4_050 });
const late = order({ cents: 300, currency: 'USD' });

beforeAll(async () => {
  warehouse = await openTestWarehouse();
  shopId = await loadShop(warehouse.db, 'north', [edited, deleted]);
  await loadShop(warehouse.db, 'south', [order({})]);
  then = await clock();
  await warehouse.rows(sql`
    UPDATE core.orders SET order_sum = 12.5, changed_at = now() WHERE shop_id = ${shopId} AND order_id = ${edited.id}`);
  await warehouse.rows(sql`
    UPDATE core.orders SET deleted_at = now(), missing_since = now() WHERE shop_id = ${shopId} AND order_id = ${deleted.id}`);
  await warehouse.rows(sql`
    INSERT INTO core.orders SELECT (jsonb_populate_record(o, jsonb_build_object(
      'order_id', ${late.id}::bigint, 'currency', 'USD', 'order_sum', 3, 'stored_at', clock_timestamp()))).*
    FROM core.orders o WHERE o.shop_id = ${shopId} AND o.order_id = ${edited.id}`);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

async function clock(): Promise<string> {
  const [row] = await warehouse.rows(sql`SELECT to_json(clock_timestamp()) #>> '{}' AS at`);
  return Temporal.Instant.from(String(row?.['at'])).toString();
}

const explain = (...options: readonly string[]) =>
  runInProcess(['explain', 'daily_sales', ...options], { DATABASE_URL: warehouse.url });

test('a table shows what the report said and says, and what each order added or took away', async () => {
  const command = ['explain', 'daily_sales', '--day', DAY, '--since', then, '--shop', 'north'];
  const { code, stdout } = await runCommand(command, { DATABASE_URL: warehouse.url });
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(lines[0]?.[0]).toMatch(
    /^north, daily_sales of 2026-03-01: what it said on .* UTC, and what it says now$/,
  );
  expect(lines.slice(2, -1)).toEqual([
    ['currency', 'figure', 'then', 'now', 'change'],
    ['EUR', 'orders', '2', '1', '-1'],
    ['EUR', 'revenue', '50.50', '12.50', '-38.00'],
    ['EUR', 'items', '2', '1', '-1'],
    ['USD', 'orders', '0', '1', '+1'],
    ['USD', 'revenue', '0.00', '3.00', '+3.00'],
    ['USD', 'items', '0', '1', '+1'],
    [''],
    ['order', 'currency', 'cause', 'orders', 'revenue', 'items'],
    [String(deleted.id), 'EUR', 'deleted', '-1', '-40.50', '-1'],
    [String(late.id), 'USD', 'came late', '+1', '+3.00', '+1'],
    [String(edited.id), 'EUR', 'edited', '0', '+2.50', '0'],
  ]);
});

test('--json prints a document for each shop, whose orders add up to the difference', async () => {
  const { code, stdout } = await explain('--day', DAY, '--since', then, '--json');
  expect(code).toBe(0);
  const documents = stdout
    .trim()
    .split('\n')
    .map((line) => explainDocument.parse(JSON.parse(line)));
  const north = documents.find(({ shop }) => shop === 'north');
  expect(north).toMatchObject({ day: DAY, since: then });
  expect(north?.orders.map(({ revenue }) => revenue)).toEqual(['-40.50', '3.00', '2.50']);
  expect(north?.currencies[0]).toMatchObject({
    currency: 'EUR',
    was: { orders: 2, revenue: '50.50' },
    now: { orders: 1, revenue: '12.50' },
    change: { orders: -1, revenue: '-38.00' },
  });
  const south = documents.find(({ shop }) => shop === 'south');
  expect(south?.currencies[0]).toMatchObject({
    was: { orders: 1 },
    now: { orders: 1 },
    change: { orders: 0 },
  });
  expect(south?.orders).toEqual([]);
});

test('where nothing changed, it says so', async () => {
  const since = await clock();
  const { code, stdout } = await explain('--day', DAY, '--since', since, '--shop', 'north');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^north, daily_sales of 2026-03-01: it says what it said on .* UTC[.]\n$/);
  expect((await explain('--day', '2020-01-01', '--since', then, '--shop', 'north')).stdout).toContain(
    'it says what it said',
  );
});

test('what was said before it was recorded is not made up', async () => {
  const refused = await explain('--day', DAY, '--since', '2026-03-05', '--shop', 'north');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /^What reports said of north is recorded since \d{4}-.* UTC; give --since that time or a later one[.]\n$/,
  );
  await warehouse.rows(sql`UPDATE core.shops SET versions_since = NULL WHERE shop_key = 'north'`);
  const { code, stdout } = await explain('--day', DAY, '--since', then, '--json');
  expect(code).toBe(2);
  const ofNorth = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ shop }) => shop === 'north');
  expect(ofNorth).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('is not recorded in this warehouse'),
  });
  await warehouse.rows(sql`UPDATE core.shops SET versions_since = now() WHERE shop_key = 'north'`);
  const [asof] = await warehouse.rows(sql`
    SELECT count(*)::int AS rows FROM bi.daily_sales_asof(${then}::timestamptz) WHERE shop = 'north'`);
  expect(asof).toEqual({ rows: 0 });
});

test('a time may lack its zone, or be counted back from now; what is no day or time is refused', async () => {
  const local = Temporal.Now.zonedDateTimeISO('Europe/Berlin').toPlainDateTime().toString();
  expect((await explain('--day', DAY, '--since', local, '--shop', 'north')).stdout).toContain(
    'it says what it said',
  );
  expect((await explain('--day', DAY, '--since', '0s', '--shop', 'north')).code).toBe(0);
  const wrong = [
    ['--day', 'yesterday', '--since', '1d'],
    ['--day', '2026-02-30', '--since', '1d'],
    ['--day', DAY, '--since', 'last Friday'],
    ['--day', DAY, '--since', '2026-03-01T25:00'],
    ['--day', DAY, '--since', '2999-01-01'],
    ['--day', DAY, '--since', '1d', '--shop', 'nowhere'],
    ['--day', DAY],
  ];
  for (const options of wrong) {
    expect(await explain(...options), options.join(' ')).toMatchObject({ code: 2, stdout: '' });
  }
  expect(await runInProcess(['explain', 'orders', '--day', DAY, '--since', '1d'], {})).toMatchObject({
    code: 2,
  });
});

test('a time without a zone is in that of the shops, and in UTC where they differ', async () => {
  await warehouse.rows(sql`UPDATE core.shops SET timezone = 'Asia/Tokyo' WHERE shop_id = ${shopId}`);
  const now = Temporal.Now.instant();
  const since = async (zone: string, ...shop: readonly string[]) => {
    const local = now.toZonedDateTimeISO(zone).toPlainDateTime().toString();
    const { stdout } = await explain('--day', DAY, '--since', local, '--json', ...shop);
    return explainDocument.parse(JSON.parse(stdout.split('\n')[0] ?? '')).since;
  };
  expect(await since('UTC')).toBe(now.toString());
  expect(await since('Asia/Tokyo', '--shop', 'north')).toBe(now.toString());
});
