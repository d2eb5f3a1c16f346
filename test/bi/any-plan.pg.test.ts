/** Wherever rows lie in the tables and however PostgreSQL reads them, the views say the same: what has an order says which. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { enterFields, lineOf, loadShop, order } from '../warehouse/views/views-load.ts';

const line = (product: string, name: string | null, sku: string | null) =>
  lineOf({ product, name, sku, listCents: 600 });
const MONTHS = ['2025-07', '2025-08', '2025-09', '2025-10', '2025-11', '2025-12', '2026-01', '2026-02'];
/** Customers of several months and currencies, and products that changed their names in the middle of an order. */
const ORDERS = MONTHS.flatMap((month, at) => [
  order({
    day: `${month}-0${1 + (at % 3)}`,
    currency: at % 4 === 3 ? 'USD' : 'EUR',
    lines: [line('1', 'Mug', `M${9 - at}`), line('2', `Bowl ${at}`, null), line('1', `Mug ${9 - at}`, 'M')],
  }),
  order({ day: `${month}-05`, customer: 'u:2', status: at % 2 === 0 ? 'A' : 'R', cents: 100 * at }),
]);
const STATES = ['N', 'C', 'R', 'C', 'R', 'A'];

async function loadLives(warehouse: TestWarehouse): Promise<number> {
  const shopId = await loadShop(warehouse.db, 'any plan', ORDERS);
  await warehouse.rows(sql`
    INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount,
      not_before, observed_at, observed_until, is_initial)
    SELECT shop_id, order_id, seq, CASE seq WHEN ${STATES.length} THEN o.status_code ELSE status END, 'S', 10, 4 * seq % 17,
      created_at + (seq - 1) * interval '1 day', created_at + seq * interval '1 day',
      CASE WHEN seq < ${STATES.length} THEN created_at + (seq + 1) * interval '1 day' END, seq = 1
    FROM core.orders o, unnest(${sql.param(STATES)}::text[]) WITH ORDINALITY AS states(status, seq) WHERE shop_id = ${shopId}`);
  await enterFields(warehouse.db, shopId, { source: { value: 'Ads', label: 'Source' } });
  await warehouse.rows(
    sql`INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (${shopId}, 'source', true)`,
  );
  await warehouse.rows(sql`UPDATE core.orders SET changed_at = first_seen_at WHERE shop_id = ${shopId}`);
  return shopId;
}

/** Takes the rows of a shop out and puts them back, the last one first. */
const turnRound = (table: string, shopId: number) => sql`
  WITH taken AS (DELETE FROM ${sql.raw(table)} WHERE shop_id = ${shopId} RETURNING ctid AS place, *),
  turned AS (SELECT * FROM taken ORDER BY place DESC)
  INSERT INTO ${sql.raw(table)} SELECT (jsonb_populate_record(NULL::${sql.raw(table)}, to_jsonb(t))).* FROM turned t`;

/** All rows of the shop in all views of `bi`, where PostgreSQL avoids what is named. */
async function told({ db }: TestWarehouse, shopId: number, avoided: readonly string[] = []) {
  return db.transaction(async (tx) => {
    for (const means of avoided) await tx.execute(sql.raw(`SET LOCAL enable_${means} = off`));
    const { rows: views } = await tx.execute<{ name: string }>(sql`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'bi' AND column_name = 'shop_id' ORDER BY 1`);
    const all = views.map(
      ({ name }) =>
        sql`SELECT ${name}::text AS view, v::text AS row FROM bi.${sql.raw(name)} v WHERE shop_id = ${shopId}`,
    );
    const { rows } = await tx.execute(sql`${sql.join(all, sql` UNION ALL `)} ORDER BY 1, 2`);
    return rows;
  });
}

test('results do not depend on the order of rows or the query plan', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await loadLives(warehouse);
  const before = await told(warehouse, shopId);
  expect(new Set(before.map(({ view }) => view)).size).toBeGreaterThan(25);
  const readings = [
    [],
    ['indexscan', 'indexonlyscan', 'bitmapscan', 'hashagg'],
    ['sort', 'incremental_sort', 'mergejoin'],
  ];
  const compare = async () => {
    for (const avoided of readings) expect(await told(warehouse, shopId, avoided)).toEqual(before);
  };
  await compare();
  for (const table of ['core.order_lines', 'core.order_history'])
    await warehouse.rows(turnRound(table, shopId));
  // Rows that were written anew move it.
  await warehouse.rows(sql`UPDATE core.orders SET changed_at = first_seen_at WHERE shop_id = ${shopId}`);
  await compare();
  await warehouse.db.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL enable_sort = off`);
    await tx.execute(sql`SET LOCAL enable_incremental_sort = off`);
    await tx.execute(sql`SELECT * FROM ops.refresh_summaries()`);
  });
  expect(await told(warehouse, shopId)).toEqual(before);
});

test('PostgreSQL knows how many orders a filter on the currency leaves', async () => {
  await using warehouse = await openTestWarehouse();
  const orders = Array.from({ length: 300 }, (_, at) => order({ currency: at % 3 === 0 ? 'usd' : 'chf' }));
  const shopId = await loadShop(warehouse.db, 'currencies', orders);
  await warehouse.rows(sql`ANALYZE core.orders, core.order_statuses, core.payment_statuses, core.shops`);
  const plan = await warehouse.rows(
    sql`EXPLAIN SELECT order_id FROM core.orders WHERE upper(currency) = 'CHF'`,
  );
  const shown = await warehouse.rows(
    sql`SELECT count(*)::int AS n FROM bi.orders WHERE shop_id = ${shopId} AND currency = 'CHF'`,
  );
  expect(shown).toEqual([{ n: 200 }]);
  const expected = plan.flatMap((row) => /rows=(\d+)/.exec(String(row['QUERY PLAN']))?.[1] ?? []);
  expect(Number(expected[0])).toBeGreaterThan(150);
});

test('PostgreSQL computes in place what the views of orders show of codes and texts, without a call for each row', async () => {
  await using warehouse = await openTestWarehouse();
  for (const view of [
    'orders',
    'order_lines',
    'order_history',
    'status_periods',
    'order_versions',
    'payments',
  ]) {
    const plan = await warehouse.rows(sql`EXPLAIN (VERBOSE) SELECT * FROM bi.${sql.raw(view)}`);
    const called = JSON.stringify(plan).match(/ops\.\w+(?=\()/g) ?? [];
    // Where a text has an entity that few have.
    expect(new Set(called).difference(new Set(['ops.decode_entities'])), view).toEqual(new Set());
  }
});
