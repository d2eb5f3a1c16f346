/** Extra fields of orders without what may tell who the buyer is. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { orderFormFields } from '../../src/warehouse/schema/shops.ts';
import { biPiiOrderContacts } from '../support/views/contacts.ts';
import { biOrderFields } from '../support/views/orders.ts';
import { biSalesByField } from '../support/views/sales.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import { type Field, HARMLESS, LOOKING, PERSONAL, WORDED } from './order-field-values.ts';

let warehouse: TestWarehouse;
let shops = 0;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

/** A shop with one order that has the fields; returns its number. */
async function shopWith(fields: readonly Field[]): Promise<number> {
  shops += 1;
  const shopId = await loadShop(warehouse.db, `fields-${shops}`, [order({})]);
  const held = fields.map(([key, value, label = null]) => [key, { value, name: null, label }]);
  await warehouse.db.execute(sql`
    UPDATE core.orders SET fields = ${JSON.stringify(Object.fromEntries(held))}::jsonb WHERE shop_id = ${shopId}`);
  return shopId;
}

/** Of each field of a shop, its value and whether it is hidden. */
async function valuesOf(shopId: number) {
  const rows = await warehouse.db.select().from(biOrderFields).where(eq(biOrderFields.shop_id, shopId));
  return Object.fromEntries(rows.map((row) => [row.field_key, [row.value, row.is_hidden]]));
}

/** What is shown of each field; `hidden` for a value that is not. */
async function shown(fields: readonly Field[]): Promise<readonly (string | boolean | null)[]> {
  const values = await valuesOf(await shopWith(fields));
  return fields.map(([key]) => {
    const [value = null, isHidden = false] = values[key] ?? [];
    return isHidden === true && value === null ? 'hidden' : value;
  });
}

/** The values of fields told apart by a key that says nothing. */
const numbered = (fields: readonly (readonly [value: string, label: string])[]): readonly Field[] =>
  fields.map(([value, label], at) => [`x${at}`, value, label]);

test('harmless values are shown as they are', async () => {
  const told = await shown(numbered(HARMLESS));
  expect(told).toEqual(HARMLESS.map(([value]) => value));
});

test('values that are no text, or have blanks around them, are shown as text', async () => {
  expect(
    await shown([
      ['bonus', 499],
      ['gift', true, 'Подарок'],
      ['sizes', ['S', 'M'], 'Размер'],
      ['0', ' yes '],
    ]),
  ).toEqual(['499', 'true', '["S", "M"]', 'yes']);
});

test('what may name or reach a person is hidden, by the wording of the field or the look of the value', async () => {
  const fields = [...PERSONAL, ...numbered(WORDED.map((label) => ['x', label])), ...numbered(LOOKING)];
  const told = await shown(fields);
  const open = fields.filter((_field, at) => told[at] !== 'hidden');
  expect(open).toEqual([]);
});

test('the owner has the last word on a field of a shop, in either direction', async () => {
  const fields: readonly Field[] = [
    ['fio', 'Анна'],
    ['source', 'Ads'],
    ['empty', ''],
  ];
  const [decided, other] = [await shopWith(fields), await shopWith(fields)];
  await warehouse.db.insert(orderFormFields).values([
    { shop_id: decided, field_key: 'fio', is_shown: true },
    { shop_id: decided, field_key: 'source', is_shown: false },
    { shop_id: decided, field_key: 'empty', is_shown: false },
    { shop_id: decided, field_key: 'FIO', is_shown: false },
  ]);
  const told = { fio: ['Анна', false], source: [null, true], empty: [null, false] };
  expect(await valuesOf(decided)).toEqual(told);
  expect(await valuesOf(other)).toEqual({ ...told, fio: [null, true], source: ['Ads', false] });
  const sales = await warehouse.db.select().from(biSalesByField).where(eq(biSalesByField.shop_id, decided));
  expect(Object.fromEntries(sales.map((row) => [row.field_key, [row.value, row.is_hidden]]))).toEqual(told);
});

test('an empty value is empty, not hidden', async () => {
  expect(
    await shown([
      ['fio', ''],
      ['phone', null],
      ['source', '  '],
    ]),
  ).toEqual([null, null, null]);
});

test('sales are told by what is shown, and those with hidden values together', async () => {
  const shopId = await shopWith([
    ['source', 'Ads'],
    ['fio', 'Анна'],
    ['empty', ''],
  ]);
  const rows = await warehouse.db
    .select()
    .from(biSalesByField)
    .where(eq(biSalesByField.shop_id, shopId))
    .orderBy(biSalesByField.field_key);
  expect(rows).toMatchObject([
    { field_key: 'empty', value: null, is_hidden: false, orders: 1, revenue: '10.00' },
    { field_key: 'fio', value: null, is_hidden: true, orders: 1, revenue: '10.00' },
    { field_key: 'source', value: 'Ads', is_hidden: false, orders: 1, revenue: '10.00' },
  ]);
});

test('who may see personal data sees all of it', async () => {
  const shopId = await shopWith([['fio', 'Анна']]);
  const [row] = await warehouse.db
    .select()
    .from(biPiiOrderContacts)
    .where(eq(biPiiOrderContacts.shop_id, shopId));
  expect(row?.fields).toEqual({ fio: { value: 'Анна', name: null, label: null } });
});
