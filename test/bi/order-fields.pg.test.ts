/** Extra fields of orders: what `bi` shows of them, and what stays hidden. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { JsonValue } from '../../src/json.ts';
import { orderFormFields } from '../../src/warehouse/schema/shops.ts';
import { showFields } from '../support/show-fields.ts';
import { biPiiOrderContacts } from '../support/views/contacts.ts';
import { biOrderFields } from '../support/views/orders.ts';
import { biSalesByField } from '../support/views/sales.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';

const PEERS = 3;

let warehouse: TestWarehouse;
let shops = 0;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

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
  for (const { order, fields } of given) {
    await warehouse.db.execute(sql`
      UPDATE tested.orders SET fields = ${JSON.stringify(fields)}::jsonb
      WHERE shop_id = ${shopId} AND order_id = ${order.id}`);
  }
  return shopId;
}

const refresh = (shopId: number, minPeers = PEERS) => showFields(warehouse.db, shopId, minPeers);

/** Key, value, name and label of every field of a shop, as `bi` shows them; `#` before a hidden value. */
async function shown(shopId: number): Promise<readonly string[]> {
  const rows = await warehouse.db
    .select()
    .from(biOrderFields)
    .where(eq(biOrderFields.shop_id, shopId))
    .orderBy(biOrderFields.order_id, biOrderFields.field_no);
  return rows.map((row) =>
    [row.field_key, row.is_hidden ? `#${row.value ?? ''}` : row.value, row.name, row.label]
      .map((text) => text ?? '-')
      .join(' '),
  );
}

/** Orders of so many different customers with the same fields. */
const shared = (customers: number, fields: Fields, first = 1): readonly Entry[] =>
  Array.from({ length: customers }, (_, at) => ({ customer: `u:${first + at}`, fields }));

const SOURCE: Fields = { source: { value: 'Ads', name: 'Source', label: 'Where from' } };

test('nothing is shown before it was counted, and without a word of the owner', async () => {
  expect(await shown(await shopWith(shared(PEERS, SOURCE)))).toEqual(Array(PEERS).fill('- # - -'));
});

test('what enough customers share is shown: key, value, name and label', async () => {
  const shopId = await shopWith(shared(PEERS, SOURCE));
  expect(await refresh(shopId)).toBe(0);
  expect(await shown(shopId)).toEqual(Array(PEERS).fill('source Ads Source Where from'));
});

test('what one customer less shares is hidden, and waits for the owner', async () => {
  const shopId = await shopWith(shared(PEERS - 1, SOURCE));
  expect(await refresh(shopId)).toBe(1);
  expect(await shown(shopId)).toEqual(Array(PEERS - 1).fill('- # - -'));
});

test('many orders of one customer, or of guests who may be one person, are not many customers', async () => {
  const guests = Array.from({ length: 9 }, (_, at) => ({ customer: `o:${at}`, fields: SOURCE }));
  const one = Array.from({ length: 9 }, () => ({ customer: 'g:5', fields: SOURCE }));
  for (const entries of [guests, one]) {
    const shopId = await shopWith(entries);
    expect(await refresh(shopId)).toBe(1);
    expect(await shown(shopId)).toEqual(Array(9).fill('- # - -'));
  }
});

test('a value of few customers is hidden in a field that is a choice otherwise', async () => {
  const shopId = await shopWith([
    ...shared(PEERS, SOURCE),
    { customer: 'u:9', fields: { source: { value: 'Ivan told me', name: 'Source', label: 'Iwans Feld' } } },
  ]);
  await refresh(shopId);
  expect(await shown(shopId)).toEqual([
    ...Array(PEERS).fill('source Ads Source Where from'),
    'source # Source -',
  ]);
});

test('a field of names shows none of them, not even a common one', async () => {
  const name = (value: string): Fields => ({ f: { value } });
  const others = Array.from({ length: PEERS + 1 }, (_, at) => ({
    customer: `u:${at + 50}`,
    fields: name(`Name ${at}`),
  }));
  const shopId = await shopWith([...shared(PEERS, name('Anna')), ...others]);
  expect(await refresh(shopId)).toBe(1);
  expect(new Set(await shown(shopId))).toEqual(new Set(['f # - -']));
});

test('a value that is shared no longer is hidden again', async () => {
  const shopId = await shopWith(shared(PEERS, SOURCE));
  await refresh(shopId);
  await refresh(shopId, PEERS + 1);
  expect(await shown(shopId)).toEqual(Array(PEERS).fill('- # - -'));
});

test('an unchanged decision writes nothing', async () => {
  const shopId = await shopWith(shared(PEERS, SOURCE));
  await refresh(shopId);
  const versions = () =>
    warehouse.rows(sql`SELECT xmin, ctid::text FROM core.shown_field_texts WHERE shop_id = ${shopId}`);
  const before = await versions();
  await refresh(shopId);
  expect(before).toHaveLength(4);
  expect(await versions()).toEqual(before);
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
  const shopId = await shopWith(shared(PEERS, fields));
  expect(await refresh(shopId)).toBe(2);
  expect((await shown(shopId)).slice(0, 7)).toEqual([
    'a 499 - -',
    'b ["S", "M"] - -',
    'c yes - -',
    'd - - -',
    'e - - -',
    'f # - -',
    '- # - -',
  ]);
});

test('the owner has the last word on a field of a shop, in either direction', async () => {
  const fields: Fields = { fio: { value: 'Анна' }, ...SOURCE, empty: { value: '' } };
  const [decided, other] = [await shopWith(shared(PEERS, fields)), await shopWith(shared(1, fields))];
  const rows = { fio: true, source: false, empty: false, FIO: false };
  await warehouse.db
    .insert(orderFormFields)
    .values(Object.entries(rows).map(([field_key, is_shown]) => ({ shop_id: decided, field_key, is_shown })));
  expect(await refresh(decided)).toBe(0);
  expect(await refresh(other)).toBe(2);
  expect((await shown(decided)).slice(0, 3)).toEqual([
    'fio Анна - -',
    'empty - - -',
    'source # Source Where from',
  ]);
  expect(await shown(other)).toEqual(['- # - -', '- - - -', '- # - -']);
});

test('sales are grouped by what is shown, those with hidden values together', async () => {
  const shopId = await shopWith([
    ...shared(PEERS, { ...SOURCE, empty: { value: '' } }),
    { customer: 'u:9', fields: { source: { value: 'Ivan told me' }, fio: { value: 'Ivan' } } },
  ]);
  await refresh(shopId);
  const rows = await warehouse.db
    .select()
    .from(biSalesByField)
    .where(eq(biSalesByField.shop_id, shopId))
    .orderBy(biSalesByField.field_key, biSalesByField.value);
  expect(rows).toMatchObject([
    { field_key: 'empty', value: null, is_hidden: false, orders: 3, revenue: '30.00' },
    { field_key: 'source', value: 'Ads', is_hidden: false, orders: 3, revenue: '30.00' },
    { field_key: 'source', value: null, is_hidden: true, orders: 1, revenue: '10.00' },
  ]);
});

test('who may see personal data sees all of it', async () => {
  const shopId = await shopWith(shared(1, SOURCE));
  const isShop = eq(biPiiOrderContacts.shop_id, shopId);
  const [row] = await warehouse.db.select().from(biPiiOrderContacts).where(isShop);
  expect(row?.fields).toEqual(SOURCE);
});
