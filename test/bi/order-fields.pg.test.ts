/** Extra fields of orders: what `bi` shows of them, and what stays hidden. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import type { JsonValue } from '../../src/model/json.ts';
import { orderFormFields } from '../../src/warehouse/schema/shops.ts';
import { showFields } from '../support/show-fields.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { enterFields, loadShop, order } from '../warehouse/views/views-load.ts';
import { viewRows } from '../support/view-rows.ts';

/** So many that a count of customers would show what they share. */
const MANY = 60;

const warehouse = fileWarehouse();
let shops = 0;

type Field = { readonly value: JsonValue; readonly name?: string; readonly label?: string };
type Fields = Readonly<Record<string, Field>>;
type Entry = { readonly customer: string; readonly fields: Fields };

/** A shop with an order of each entry. */
async function shopWith(entries: readonly Entry[]): Promise<number> {
  shops += 1;
  const given = entries.map(({ customer, fields }) => ({ order: order({ customer }), fields }));
  const shopId = await loadShop(
    warehouse.db,
    `fields-${shops}`,
    given.map(({ order }) => order),
  );
  for (const { order, fields } of given) await enterFields(warehouse.db, shopId, fields, order.id);
  return shopId;
}

const show = (shopId: number, ...keys: readonly string[]) => showFields(warehouse.db, shopId, ...keys);

/** Key, value, name and label of every field of a shop, as `bi` shows them; `#` before a hidden value. */
async function shown(shopId: number): Promise<readonly string[]> {
  const which = sql`shop_id = ${shopId} ORDER BY order_id, field_no`;
  const rows = await viewRows<
    Record<'field_key' | 'value' | 'name' | 'label', string | null> & { is_hidden: boolean }
  >(warehouse.db, 'bi.order_fields', which);
  return rows.map((row) =>
    [
      row.field_key,
      row.is_hidden ? `#${row.value === '(hidden)' ? '' : row.value}` : row.value,
      row.name,
      row.label,
    ]
      .map((text) => text ?? '-')
      .join(' '),
  );
}

/** Orders of so many different customers with the same fields. */
const shared = (customers: number, fields: Fields): readonly Entry[] =>
  Array.from({ length: customers }, (_, at) => ({ customer: `u:${at + 1}`, fields }));

const SOURCE: Fields = { source: { value: 'Ads', name: 'Source', label: 'Where from' } };

test('no field is shown without a decision of the owner, however many customers have it', async () => {
  expect(await shown(await shopWith(shared(MANY, SOURCE)))).toEqual(Array(MANY).fill('- # - -'));
});

test('what the owner shows is shown: key, value, name and label, even of a single customer', async () => {
  const shopId = await shopWith(shared(1, SOURCE));
  await show(shopId, 'source');
  expect(await shown(shopId)).toEqual(['source Ads Source Where from']);
});

test('a field is shown with all its values, and no other field is', async () => {
  const other = {
    source: { value: 'A friend', name: 'Source' },
    recipient: { value: 'Ivan', label: 'For whom' },
  };
  const shopId = await shopWith([...shared(2, SOURCE), { customer: 'o:9', fields: other }]);
  await show(shopId, 'source');
  expect(await shown(shopId)).toEqual([
    'source Ads Source Where from',
    'source Ads Source Where from',
    // In the order of jsonb: shorter keys first.
    'source A friend Source -',
    '- # - -',
  ]);
});

test('a field that is hidden again is hidden in all orders, at once', async () => {
  const shopId = await shopWith(shared(3, SOURCE));
  await show(shopId, 'source');
  await warehouse.rows(sql`UPDATE core.order_form_fields SET is_shown = false WHERE shop_id = ${shopId}`);
  expect(await shown(shopId)).toEqual(Array(3).fill('- # - -'));
  await warehouse.rows(sql`DELETE FROM core.order_form_fields WHERE shop_id = ${shopId}`);
  expect(await shown(shopId)).toEqual(Array(3).fill('- # - -'));
});

test('values that are no text, blank, or of any length', async () => {
  const long = 'x'.repeat(5_000);
  const fields: Fields = {
    a: { value: 499 },
    b: { value: ['S', 'M'] },
    c: { value: ' yes ' },
    d: { value: '  ' },
    e: { value: null },
    f: { value: long },
    [long]: { value: 'x' },
  };
  const shopId = await shopWith(shared(1, fields));
  await show(shopId, 'a', 'b', 'c', 'd', 'e', 'f');
  expect(await shown(shopId)).toEqual([
    'a 499 - -',
    'b ["S", "M"] - -',
    'c yes - -',
    'd - - -',
    'e - - -',
    `f ${long} - -`,
    '- # - -',
  ]);
});

test('fields that are no object, and orders without a person, have no rows', async () => {
  const shopId = await shopWith(shared(3, SOURCE));
  await show(shopId, 'source');
  const [first, second] = await warehouse.rows(
    sql`SELECT order_id FROM core.order_persons WHERE shop_id = ${shopId} ORDER BY order_id`,
  );
  await warehouse.rows(
    sql`UPDATE core.order_persons SET fields = '["source"]' WHERE order_id = ${first?.['order_id']}`,
  );
  await warehouse.rows(sql`DELETE FROM core.order_persons WHERE order_id = ${second?.['order_id']}`);
  expect(await shown(shopId)).toEqual(['source Ads Source Where from']);
  const [live] = await warehouse.rows(
    sql`SELECT count(*)::int AS orders FROM bi.orders WHERE shop_id = ${shopId}`,
  );
  expect(live).toEqual({ orders: 3 });
});

test('a decision of the owner applies to a field of one shop, in either direction', async () => {
  const fields: Fields = { fio: { value: 'Анна' }, ...SOURCE, empty: { value: '' } };
  const [decided, other] = [await shopWith(shared(2, fields)), await shopWith(shared(1, fields))];
  const rows = { fio: true, source: false, empty: false, FIO: false };
  await warehouse.db
    .insert(orderFormFields)
    .values(Object.entries(rows).map(([field_key, is_shown]) => ({ shop_id: decided, field_key, is_shown })));
  expect((await shown(decided)).slice(0, 3)).toEqual(['fio Анна - -', '- - - -', '- # - -']);
  expect(await shown(other)).toEqual(['- # - -', '- - - -', '- # - -']);
});

test('sales are grouped by what is shown, and hidden fields are left out', async () => {
  const shopId = await shopWith([
    ...shared(3, { ...SOURCE, empty: { value: '' } }),
    // Of several labels, one is told.
    { customer: 'u:8', fields: { source: { value: 'Ads', label: 'A label' } } },
    {
      customer: 'u:9',
      fields: { source: { value: 'Ivan told me' }, fio: { value: 'Ivan' }, size: { value: 'M' } },
    },
  ]);
  await show(shopId, 'source', 'empty');
  await warehouse.rows(
    sql`UPDATE core.orders SET order_sum = NULL WHERE shop_id = ${shopId} AND customer_key = 'u:9'`,
  );
  await warehouse.db.insert(orderFormFields).values({ shop_id: shopId, field_key: 'size', is_shown: false });
  const which = sql`shop_id = ${shopId} ORDER BY field_key, value`;
  const rows = await viewRows(warehouse.db, 'bi.sales_by_field', which);
  expect(rows).toMatchObject([
    { field_key: 'empty', value: null, is_hidden: false, orders: 3, revenue: '30.00' },
    { field_key: 'source', value: 'Ads', label: 'Where from', is_hidden: false, orders: 4, revenue: '40.00' },
    { field_key: 'source', value: 'Ivan told me', is_hidden: false, orders: 1, revenue: '0.00' },
  ]);
});

test('a field is a source of the funnel only while it is shown, and only if somebody entered one', async () => {
  const long = `Anna ${'0123456789'.repeat(12)}`;
  const shopId = await shopWith(shared(1, { source: { value: long }, none: { value: '' } }));
  const source = async (key: string, isShown = true) => {
    await warehouse.rows(sql`DELETE FROM core.order_form_fields WHERE shop_id = ${shopId}`);
    await warehouse.rows(sql`INSERT INTO core.order_form_fields VALUES (${shopId}, ${key}, ${isShown})`);
    const rows = sql`SELECT DISTINCT source FROM bi.status_funnel WHERE shop_id = ${shopId}`;
    return (await warehouse.rows(rows)).map((row) => row['source']);
  };
  // The funnel has the beginning.
  expect(await source('source')).toEqual([long.slice(0, 100)]);
  const hidden = [await source('source', false), await source('none'), await source('Source')];
  expect(hidden.flat()).toEqual([null, null, null]);
  await enterFields(warehouse.db, shopId, { source: { value: ' ' } });
  expect(await source('source')).toEqual([null]);
});

test('bi_pii_reader sees all fields', async () => {
  const shopId = await shopWith(shared(1, SOURCE));
  expect(await viewRows(warehouse.db, 'bi_pii.order_contacts', sql`shop_id = ${shopId}`)).toMatchObject([
    { fields: SOURCE },
  ]);
});
