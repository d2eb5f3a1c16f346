/** What the reports said at any time can be asked for later, and each difference to today is told order by order. */
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { markOrders } from '../../src/warehouse/orders/missing-marks.ts';
import { stampViewChanges } from '../../src/warehouse/ops/refresh-summaries.ts';
import { fetched, lineRow, type OrderRow, orderToLoad, reread, SEEN } from '../support/rows.ts';
import { anyOrders, DAYS, mark, STATUSES } from '../warehouse/summary-changes.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { IS_LONG } from '../support/long.ts';

const [LIVES, PAIRS] = IS_LONG ? [20, 1_000] : [2, 150];
/** Of the report, all that is of the orders alone: without what only `bi.daily_sales` has. */
const SAID = `to_jsonb(r) - '{is_verified,history_from,goods_amount,line_discount,order_discount,delivery_amount,other_amount,cancelled_amount,returned_amount}'::text[]`;

type Step = (warehouse: TestWarehouse, shopId: number, step: number) => Promise<unknown>;

const anyReclassification = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('cancelled', 'open', 'draft'),
  )
  .map(
    ([codes, stage]): Step =>
      (warehouse, shopId) =>
        warehouse.rows(sql`
          UPDATE core.order_statuses SET stage = ${stage}, is_sale = NOT is_sale
          WHERE shop_id = ${shopId} AND status_code = ANY (${sql.param(codes)})`),
  );
/** Each load sees its orders later than the one before: what was seen at the same time would be read in another way. */
const anyLoad = anyOrders.map((orders): Step => (warehouse, shopId, step) => {
  const seenAt = SEEN.add({ minutes: step });
  return warehouse.load(
    shopId,
    orders.map((order) => ({ ...order, seenAt, observedAt: seenAt })),
  );
});
/** Of the orders that are stored, each with the buyer that it has. */
const anyRewrite = anyOrders.map((drawn): Step => async (warehouse, shopId) => {
  const stored = await warehouse.rows(
    sql`SELECT order_id::text AS id, customer_key, buyer_oid FROM core.orders WHERE shop_id = ${shopId}`,
  );
  const again = drawn.flatMap((order) => {
    const { id, ...buyer } = stored.find((row) => row['id'] === order.row.order_id) ?? {};
    const row = { ...order.row, ...buyer };
    return id === undefined ? [] : [{ ...reread(order), row, lines: undefined, person: undefined }];
  });
  return warehouse.load(shopId, again, { isReread: true });
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyLoad },
  { weight: 3, arbitrary: mark },
  { weight: 2, arbitrary: anyReclassification },
  { weight: 1, arbitrary: anyRewrite },
  { weight: 1, arbitrary: fc.constant<Step>(({ db }) => stampViewChanges(db)) },
);

const DATED = DAYS.filter((day) => day !== null);
const ADDED = 'orders revenue paid items cancelled_orders returned_orders draft_orders other_orders'.split(
  ' ',
);
/** At its end, orders that nothing else touched mean something else. */
const anyLife = fc
  .tuple(fc.array(anyStep, { minLength: 15, maxLength: 30 }), anyReclassification)
  .map(([steps, last]) => [...steps, last]);
type Said = { readonly at: string; readonly rows: readonly Record<string, unknown>[] };

test('bi.daily_sales_asof says what bi.daily_sales said, and the changes since add up to the difference', async () => {
  await using warehouse = await openTestWarehouse();
  let pairs = 0;
  const causes = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(anyLife, async (steps) => {
      const shopId = await warehouse.newShop();
      const said: Said[] = [];
      for (const [step, work] of steps.entries()) {
        await work(warehouse, shopId, step);
        said.push(await readReport(warehouse, shopId));
      }
      expect(await readAsof(warehouse, shopId, said)).toEqual(said);
      const told = await readChanges(warehouse, shopId, said);
      for (const { causes: found } of told) for (const cause of found) causes.add(cause);
      const sums = new Map(told.map(({ key, sums: changes }) => [key, changes]));
      const now = sumsOf(said.at(-1)?.rows ?? []);
      for (const { at, rows } of said) {
        const was = sumsOf(rows);
        for (const key of DATED.flatMap((day) => ['EUR', 'USD', ''].map((currency) => day + currency))) {
          const difference = ADDED.map(
            (_, figure) => (now.get(key)?.[figure] ?? 0) - (was.get(key)?.[figure] ?? 0),
          );
          expect(sums.get(at + key) ?? ADDED.map(() => 0), `${at} ${key}`).toEqual(difference);
        }
        pairs += DATED.length;
      }
    }),
    { numRuns: LIVES },
  );
  expect(pairs).toBeGreaterThanOrEqual(PAIRS);
  expect(causes.size).toBeGreaterThan(4);
});

/** What the report says now, and when that is. */
async function readReport(warehouse: TestWarehouse, shopId: number): Promise<Said> {
  const [now] = await warehouse.rows(sql`
    SELECT clock_timestamp()::text AS at, coalesce(jsonb_agg(row ORDER BY row), '[]') AS rows FROM (
      SELECT ${sql.raw(SAID)} AS row FROM bi.daily_sales r WHERE shop_id = ${shopId}) s`);
  return now as Said;
}

/** What it said at these times, as the warehouse tells afterwards. */
async function readAsof(warehouse: TestWarehouse, shopId: number, said: readonly Said[]) {
  return warehouse.rows(sql`
    SELECT at, r.rows FROM unnest(${timesOf(said)}::text[]) WITH ORDINALITY AS t(at, place)
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(${sql.raw(SAID)} ORDER BY ${sql.raw(SAID)}), '[]') AS rows
      FROM bi.daily_sales_asof(t.at::timestamptz) r WHERE r.shop_id = ${shopId}
    ) r ORDER BY place`);
}

const timesOf = (said: readonly Said[]) => sql.param(said.map(({ at }) => at));

/** The changes of each day since each of these times, by time, day and currency. */
async function readChanges(warehouse: TestWarehouse, shopId: number, said: readonly Said[]) {
  const rows = await warehouse.rows(sql`
    SELECT t.at || day || coalesce(c.currency, '') AS key, array_agg(DISTINCT c.cause) AS causes,
      jsonb_build_array(${sql.raw(ADDED.map((column) => `sum(c.${column}) * 100`).join(', '))}) AS sums
    FROM unnest(${timesOf(said)}::text[]) t(at), unnest(${sql.param(DATED)}::text[]) day
    CROSS JOIN LATERAL bi.daily_sales_changes(day::date, t.at::timestamptz) c
    WHERE c.shop_id = ${shopId} GROUP BY 1`);
  return rows as readonly { key: string; causes: readonly string[]; sums: readonly number[] }[];
}

/** Hundredths of each figure, by day and currency; without orders that have no day. */
function sumsOf(rows: Said['rows']): ReadonlyMap<string, readonly number[]> {
  const dated = rows.filter((row) => row['order_date'] !== null);
  return new Map(
    dated.map((row) => [
      `${String(row['order_date'])}${typeof row['currency'] === 'string' ? row['currency'] : ''}`,
      ADDED.map((column) => Math.round(Number(row[column]) * 100)),
    ]),
  );
}

test('each change has a cause, and what it adds or takes away', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const day = '2026-03-01';
  const load = (step: number, orders: Readonly<Record<string, Partial<OrderRow>>>) =>
    warehouse.load(
      shopId,
      Object.entries(orders).map(([id, row]) => {
        const first = lineRow(id, 1, { quantity: `${step === 1 && id === '9' ? 3 : 1}.000` });
        return orderToLoad(id, { row, lines: fetched([first]), seenAt: SEEN.add({ minutes: step }) });
      }),
    );
  await load(0, { 1: {}, 2: {}, 3: {}, 4: {}, 5: { status_code: 'C' }, 6: {}, 7: {}, 9: {}, 10: {} });
  await warehouse.write(async (tx) => {
    await markOrders(tx, shopId, { missing: ['4'] }, SEEN);
    await markOrders(tx, shopId, { deleted: ['4'] }, SEEN);
  });
  const [then] = await warehouse.rows(sql`SELECT clock_timestamp()::text AS at`);
  await load(1, {
    1: { order_sum: '120.50' },
    2: { created_on: '2026-03-02' },
    8: {},
    9: {},
    10: { paid_amount: '1.00' },
  });
  await warehouse.write(async (tx) => {
    await markOrders(tx, shopId, { missing: ['3'] }, SEEN);
    await markOrders(tx, shopId, { deleted: ['3'] }, SEEN);
    await markOrders(tx, shopId, { returned: ['4'] }, SEEN);
  });
  await warehouse.rows(sql`
    UPDATE core.order_statuses SET stage = 'cancelled', is_sale = false WHERE shop_id = ${shopId} AND status_code = 'C'`);
  const again = { ...orderToLoad('6', { row: { order_sum: '90.00' } }), lines: undefined, person: undefined };
  await warehouse.load(shopId, [again], { isReread: true });
  const told = await warehouse.rows(sql`
    SELECT order_id::text AS id, cause, revenue FROM bi.daily_sales_changes(${day}, ${String(then?.['at'])}::timestamptz)
    WHERE shop_id = ${shopId} ORDER BY order_id`);
  expect(told).toEqual([
    { id: '1', cause: 'edited', revenue: '20.50' },
    { id: '2', cause: 'moved', revenue: '-100.00' },
    { id: '3', cause: 'deleted', revenue: '-100.00' },
    { id: '4', cause: 'returned', revenue: '100.00' },
    { id: '5', cause: 'reclassified', revenue: '-100.00' },
    { id: '6', cause: 're-normalized', revenue: '-10.00' },
    { id: '8', cause: 'came late', revenue: '100.00' },
    { id: '9', cause: 'edited', revenue: '0.00' },
    { id: '10', cause: 'edited', revenue: '0.00' },
  ]);
  // Of an order that is here since before this was recorded, all that is known is when it was first seen.
  const [unchanged] = await warehouse.rows(sql`
    UPDATE core.orders SET stored_at = NULL WHERE shop_id = ${shopId} AND order_id = 7 RETURNING first_seen_at`);
  const versions = await warehouse.rows(
    sql`SELECT valid_from FROM bi.order_versions WHERE shop_id = ${shopId} AND order_id = 7`,
  );
  expect(versions).toEqual([{ valid_from: unchanged?.['first_seen_at'] }]);
  // Where a status got another meaning at the moment at which an order changed, each state of it has one meaning.
  await warehouse.rows(sql`
    INSERT INTO core.order_versions SELECT was.*
    FROM core.order_versions v JOIN core.status_versions t USING (shop_id)
    CROSS JOIN LATERAL jsonb_populate_record(v, jsonb_build_object('order_id', 5, 'status_code', 'C', 'valid_until', t.valid_until)) was
    WHERE v.shop_id = ${shopId} AND v.order_id = 1`);
  const meant = await warehouse.rows(
    sql`SELECT stage FROM bi.order_versions WHERE shop_id = ${shopId} AND order_id = 5 ORDER BY valid_from`,
  );
  expect(meant).toEqual([{ stage: 'delivered' }, { stage: 'cancelled' }]);
  await warehouse.rows(sql`DELETE FROM core.order_versions WHERE shop_id = ${shopId} AND order_id = 5`);
  // Before the past of a shop was recorded, nothing is known of it.
  const readSaid = async () =>
    warehouse.rows(sql`
      SELECT (SELECT count(*)::int FROM bi.daily_sales_asof(at) WHERE shop_id = ${shopId}) AS said,
        (SELECT count(*)::int FROM bi.daily_sales_changes(${day}, at) WHERE shop_id = ${shopId}) AS changes
      FROM (SELECT ${String(then?.['at'])}::timestamptz AS at) t`);
  expect(await readSaid()).toEqual([{ said: 1, changes: 9 }]);
  await warehouse.rows(sql`UPDATE core.shops SET versions_since = now() WHERE shop_id = ${shopId}`);
  expect(await readSaid()).toEqual([{ said: 0, changes: 0 }]);
});
