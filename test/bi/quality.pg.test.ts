/** What the views say of the copy itself. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { days } from '../../src/warehouse/schema/ops.ts';
import { readShopReports } from '../../src/sync/report/shop-report.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { lineOf, loadShop, order, type Order } from '../warehouse/views/views-load.ts';
import { viewRows } from '../support/view-rows.ts';

const warehouse = fileWarehouse();

const line = (cents: number | null, quantity: number | null = 1) => lineOf({ cents, quantity });

type Case = readonly [problems: string | null, difference: string | null, Partial<Order>];

/** Orders of 10.00 with a delivery of 4.00. */
const CASES: readonly Case[] = [
  [null, '0.00', { lines: [line(250), line(350)], items: 2 }],
  ['sum differs', '-0.01', { lines: [line(601)] }],
  ['sum without delivery', '-4.00', { lines: [line(1_000)] }],
  ['item count differs', '0.00', { lines: [line(600, 3)] }],
  ['line without total', null, { lines: [line(600), line(null)], items: 2 }],
  ['line without quantity', '0.00', { lines: [line(600, null)] }],
  ['no lines', null, {}],
  ['no sum', null, { cents: null, paidCents: 500, lines: [line(600)] }],
  ['overpaid', '0.00', { paidCents: 1_001, lines: [line(600)] }],
  [
    'no date, no currency, unknown status',
    '0.00',
    { day: null, currency: null, status: '?', lines: [line(600)] },
  ],
];

test('an order whose figures disagree says so, and how', async () => {
  const orders = CASES.map(([, , changes]) => order(changes));
  const shopId = await loadShop(warehouse.db, 'quality', [...orders, order({ isDeleted: true })]);
  await warehouse.db.execute(sql`UPDATE tested.orders SET delivery_price = 4 WHERE shop_id = ${shopId}`);
  const read = async () =>
    viewRows(warehouse.db, 'bi.data_quality', sql`shop_id = ${shopId} ORDER BY order_id`);
  const told = (await read()).map(({ problems, difference, has_problem }) => [
    problems,
    difference,
    has_problem,
  ]);
  expect(told).toEqual(CASES.map(([problems, difference]) => [problems, difference, problems !== null]));
  // A delivery without a price costs nothing.
  await warehouse.db.execute(sql`UPDATE tested.orders SET delivery_price = NULL WHERE shop_id = ${shopId}`);
  expect((await read()).map(({ difference }) => difference)).toEqual(
    CASES.map(([, difference]) => difference && (Number(difference) + 4).toFixed(2)),
  );
});

test('lines that are not up to date prove nothing about a sum', async () => {
  const shopId = await loadShop(warehouse.db, 'pending', [order({ lines: [line(1)] })]);
  await warehouse.db.execute(sql`UPDATE tested.orders SET lines_state = 'pending' WHERE shop_id = ${shopId}`);
  const rows = await viewRows(warehouse.db, 'bi.data_quality', sql`shop_id = ${shopId}`);
  expect(rows).toMatchObject([{ problems: 'lines not loaded', difference: null, lines_total: '0.01' }]);
});

async function freshness(shopId: number) {
  const [row] = await viewRows(warehouse.db, 'bi.sync_freshness', sql`shop_id = ${shopId}`);
  return row;
}

test('a shop that was never swept is there, and complete through no day', async () => {
  const shopId = await loadShop(warehouse.db, 'new', []);
  expect(await freshness(shopId)).toMatchObject({
    shop: 'new',
    first_day: null,
    complete_through: null,
    last_ok_at: null,
    due_days: 0,
    orders: 0,
  });
});

test.each([
  ['all verified', [1, 1, 1, 1], 3],
  ['the last one open', [1, 1, 1, 0], 2],
  ['one open between', [1, 0, 1, 1], 0],
  // The day after it was verified speaks for it.
  ['one not named between', [1, undefined, 1, 1], 3],
  ['one not named before an open one', [1, undefined, 0, 1], 0],
  ['the first one open', [0, 1, 1, 1], undefined],
])(
  'a shop with %s is complete through the last day before the first open one',
  async (name, marks, through) => {
    const shopId = await loadShop(warehouse.db, name, []);
    const first = Temporal.PlainDate.from('2025-11-01');
    const day = (at: number) => first.add({ days: at }).toString();
    const known = marks.flatMap((mark, at) => (mark === undefined ? [] : [{ mark, day: day(at) }]));
    const row = ({ mark, day }: (typeof known)[number]) => ({
      shop_id: shopId,
      day: Temporal.PlainDate.from(day),
      verified_at: mark === 1 ? Temporal.Instant.from('2025-11-20T10:00:00Z') : null,
    });
    await warehouse.db.insert(days).values(known.map(row));
    const expected = through === undefined ? null : day(through);
    expect(await freshness(shopId)).toMatchObject({ complete_through: expected, last_day: day(3) });
    const reports = await readShopReports(warehouse.db, Temporal.Now.instant());
    const report = reports.find(({ shop }) => shop.shopId === shopId);
    expect(report?.status.complete_through).toBe(expected);
  },
);

test('due are the days verified too long ago, never, or begun since the last sweep', async () => {
  const shopId = await loadShop(warehouse.db, 'due', [
    order({ isMissing: true }),
    order({}),
    order({ isDeleted: true }),
    order({ day: null }),
  ]);
  await warehouse.db.execute(sql`
    UPDATE tested.orders SET lines_state = 'failed' WHERE shop_id = ${shopId} AND created_on IS NOT NULL`);
  // The order of a day that the ledger lacks makes one more.
  await warehouse.db.execute(sql`
    INSERT INTO tested.days (shop_id, day, verified_at, attempts)
    SELECT ${shopId}, (now() AT TIME ZONE 'Europe/Berlin')::date - age, now() - since::interval, failed
    FROM (VALUES (3, '59 min', 0), (4, '61 min', 0), (5, NULL, 1)) AS days(age, since, failed)`);
  await warehouse.db.execute(sql`
    INSERT INTO tested.runs (shop_id, kind, status, started_at, finished_at, version)
    SELECT ${shopId}, kind, status, at::timestamptz, at::timestamptz + interval '1 min', 'test'
    FROM (VALUES ('sync', 'ok', '2025-11-19T10:00Z'), ('sync', 'partial', '2025-11-19T11:00Z'),
      ('verify', 'ok', '2025-11-19T12:00Z')) AS runs(kind, status, at)`);
  await warehouse.db.execute(sql`
    UPDATE tested.shop_state SET looked_at = '2025-11-19T10:30Z', ok_at = '2025-11-19T10:01Z',
      memory = '{"counts": {"at": "2025-11-19T09:00Z", "through": "2025-11-18", "orders": 17}}' WHERE shop_id = ${shopId}`);
  await warehouse.db.execute(sql`
    INSERT INTO tested.rejections (shop_id, resource, reason, digest, resolved_at)
    VALUES (${shopId}, 'order', 'bad', 'a', NULL), (${shopId}, 'order', 'bad', 'b', now())`);
  const row = await freshness(shopId);
  // Two of the ledger's, the order's day, and the three since the ledger's last one.
  expect(row).toMatchObject({ due_days: 6, failing_days: 1, orders: 3, orders_missing: 1 });
  expect(row).toMatchObject({ orders_without_lines: 2, open_rejections: 1 });
  expect([row?.last_ok_at, row?.last_run_at].map(String)).toEqual([
    '2025-11-19T10:01:00Z',
    '2025-11-19T11:00:00Z',
  ]);
  const counted = await warehouse.rows(sql`
    SELECT counted_at = '2025-11-19T09:00Z' AS at, counted_through::text AS through, counted_orders::int AS orders
    FROM bi.sync_freshness WHERE shop_id = ${shopId}`);
  expect(counted).toEqual([{ at: true, through: '2025-11-18', orders: 17 }]);
  // A sweep that found nothing to do has no row.
  await warehouse.db.execute(
    sql`UPDATE tested.shop_state SET looked_at = '2025-11-19T11:30Z' WHERE shop_id = ${shopId}`,
  );
  expect(String((await freshness(shopId))?.last_run_at)).toBe('2025-11-19T11:30:00Z');
  // A day to come, as orders have that are dated ahead.
  await warehouse.db.execute(sql`
    INSERT INTO tested.days (shop_id, day, verified_at)
    VALUES (${shopId}, (now() AT TIME ZONE 'Europe/Berlin')::date + 2, NULL)`);
  expect(await freshness(shopId)).toMatchObject({ due_days: 3 });
});
