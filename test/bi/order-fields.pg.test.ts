/** Extra fields of orders without what may tell who the buyer is. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { JsonValue } from '../../src/json.ts';
import { biPiiOrderContacts } from '../../src/warehouse/schema/views/contacts.ts';
import { biOrderFields } from '../../src/warehouse/schema/views/orders.ts';
import { biSalesByField } from '../../src/warehouse/schema/views/sales.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views-load.ts';

let warehouse: TestWarehouse;
let shops = 0;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

type Field = readonly [key: string, value: JsonValue, label?: string];

/** A shop with one order that has the fields; returns its number. */
async function shopWith(fields: readonly Field[]): Promise<number> {
  shops += 1;
  const shopId = await loadShop(warehouse.db, `fields-${shops}`, [order({})]);
  const held = fields.map(([key, value, label = null]) => [key, { value, name: null, label }]);
  await warehouse.db.execute(sql`
    UPDATE core.orders SET fields = ${JSON.stringify(Object.fromEntries(held))}::jsonb WHERE shop_id = ${shopId}`);
  return shopId;
}

/** What is shown of each field; `hidden` for a value that is not. */
async function shown(fields: readonly Field[]): Promise<readonly (string | null)[]> {
  const shopId = await shopWith(fields);
  const rows = await warehouse.db.select().from(biOrderFields).where(eq(biOrderFields.shop_id, shopId));
  return fields.map(([key]) => {
    const row = rows.find(({ field_key }) => field_key === key);
    return row?.is_hidden === true && row.value === null ? 'hidden' : (row?.value ?? null);
  });
}

const HARMLESS: readonly (readonly [key: string, value: JsonValue, label: string, shown: string])[] = [
  ['source', 'Instagram', 'Откуда узнали', 'Instagram'],
  ['utm_source', 'Google Ads', 'UTM', 'Google Ads'],
  ['channel', 'Яндекс Директ', 'Канал', 'Яндекс Директ'],
  ['delivery_time', 'с 10:00 до 13:00', 'Время доставки', 'с 10:00 до 13:00'],
  ['bonus', 499, 'Бонусы', '499'],
  ['day', '2025-11-16', 'День доставки', '2025-11-16'],
  ['slot', '16.11.2025 14:30', '', '16.11.2025 14:30'],
  ['gift', true, 'Подарок', 'true'],
  ['sizes', ['S', 'M'], 'Размер', '["S", "M"]'],
  ['0', ' yes ', '', 'yes'],
];

const PERSONAL: readonly Field[] = [
  ['fio', 'x'],
  ['f1', 'Анна', 'ИМЯ ПОЛУЧАТЕЛЯ'],
  ['f2', 'x', 'Телефон для связи'],
  ['f3', 'x', 'Адрес доставки'],
  ['f4', 'x', 'Комментарий к заказу'],
  ['f5', 'x', 'ЭЛЕКТРОННАЯ ПОЧТА'],
  ['f6', 'x', 'Кв. / дом'],
  ['Contact_Person', 'x'],
  ['company', 'ИП Ёлкина', 'Организация'],
  ['birthday', '1990-01-02'],
  ['a1', 'write to anna@mail.example'],
  ['a2', '+7 (916) 123-45-67'],
  ['a3', 89161234567],
  ['a4', 'https://t.me/anna'],
  ['a5', 'Please ring twice, the bell of the door is broken'],
  ['a6', 'two\nlines'],
  ['a7', 'Соколова Анна'],
  ['a8', "Liam O'Brien"],
  ['a9', 'Жуков Пётр Ильич', 'Для подарка'],
  ['b1', { first: 'Anna' }],
  ['b2', [{ first: 'Anna' }]],
];

test('harmless values are shown as they are', async () => {
  const told = await shown(HARMLESS.map(([key, value, label]) => [key, value, label]));
  expect(told).toEqual(HARMLESS.map((field) => field[3]));
});

test('what may name or reach a person is hidden, by the wording of the field or the look of the value', async () => {
  const told = await shown(PERSONAL);
  const open = PERSONAL.filter((_field, at) => told[at] !== 'hidden');
  expect(open).toEqual([]);
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
