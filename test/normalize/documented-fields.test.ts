/** Every field that is documented or read lands in a column: changing the field changes that column, and nothing else. */
import { getTableConfig } from 'drizzle-orm/pg-core';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';
import { LINE_FIELDS } from '../../src/normalize/lines.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { DOCUMENTED_FIELDS, ORDER_FIELDS, PERSON_FIELDS } from '../../src/normalize/order-fields.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { normalizeUser } from '../../src/normalize/user.ts';
import { orderPersons, orders } from '../../src/warehouse/schema/orders.ts';

/** Two values that must read differently, and the columns that show it; none: kept as it was sent, and not read. */
type Documented = { readonly [field: string]: [one: JsonValue, other: JsonValue, ...columns: string[]] };

const RECORD: Documented = {
  visible: [1, 0, 'visible'],
  parent_oid: [1, 2, 'parent_oid'],
  master_oid: [3, 4, 'owner_oid'],
  access: [1, 2, 'access'],
  updated: ['2025-01-01 10:00:00', '2025-01-02 10:00:00', 'updated_local'],
};

const GROUP: Documented = {
  ...RECORD,
  oid: [1, 2, 'group_oid'],
  name: ['a', 'b', 'name'],
  url: ['a', 'b', 'url'],
  type: ['a', 'b', 'type'],
  template: ['a', 'b', 'template'],
  sort: [1, 2, 'sort'],
  created: ['2025-01-01 10:00:00', '2025-01-02 10:00:00', 'created_local'],
};

const USER: Documented = {
  ...RECORD,
  oid: [1, 1],
  // The record's own name, as administrators see it in the tree; the person's is content.name.
  name: ['a', 'b'],
  url: ['a', 'b'],
  type: ['a', 'b'],
  template: ['a', 'b'],
  sort: [1, 2],
  parent_oid: [1, 2, 'group_oid'],
  created: ['2025-01-01 10:00:00', '2025-01-02 10:00:00', 'created_local', 'created_at'],
  content: [{}, { unknown: 1 }, 'content'],
};

const USER_CONTENT: Documented = {
  address: ['a', 'b', 'address'],
  email: ['a', 'b', 'email'],
  gender: ['a', 'b', 'gender'],
  images: [[], [{ path: '/a' }], 'images'],
  level: [1, 2, 'level'],
  login: ['a', 'b', 'login'],
  name: ['a', 'b', 'name'],
  org_name: ['a', 'b', 'org_name'],
  phone: ['a', 'b', 'phone'],
};

const ORDER: Documented = {
  order_id: [1, 2, 'order_id'],
  phone: ['1', '2', 'buyer_phone'],
  email: ['a', 'b', 'buyer_email'],
  address: ['a', 'b', 'buyer_address'],
  comment: ['a', 'b', 'comment'],
  fio: ['a', 'b', 'buyer_name'],
  fields: ['a:1:{s:1:"a";i:1;}', 'a:1:{s:1:"a";i:2;}', 'fields'],
  status: ['A', 'C', 'status_code'],
  pay_status: ['S', 'FP', 'pay_status_code'],
  currency: ['RUB', 'EUR', 'currency'],
  pay_method: ['a', 'b', 'pay_method'],
  summ: [1, 2, 'order_sum'],
  count: [1, 2, 'item_count'],
  paid: [1, 2, 'paid_amount'],
  discount: ['1%', '2%', 'discount_raw', 'discount_percent'],
  delivery: ['a', 'b', 'delivery_name'],
  delivery_id: [1, 2, 'delivery_id'],
  delivery_price: [1, 2, 'delivery_price'],
  weight: [1, 2, 'weight'],
  master_oid: [10, 20, 'buyer_oid', 'customer_key'],
  views: [1, 2, 'views'],
  user_unique_key: ['a', 'b'],
  color: ['red', 'blue', 'color'],
  users: ['a', 'b'],
  created: ['01.02.2025', '02.02.2025', 'created_on', 'created_local', 'created_at'],
  updated: ['2025-01-01 10:00:00', '2025-01-02 10:00:00', 'updated_local', 'updated_at'],
  time: ['10:00', '11:00', 'created_local', 'created_at'],
  hash: ['a', 'b', 'order_hash'],
};

const LINE: Documented = {
  oid: ['1_a', '2_b', 'line_oid', 'product_oid', 'spec_hash'],
  code: ['a', 'b', 'code'],
  name: ['a', 'b', 'product_name'],
  count: [1, 2, 'quantity'],
  price: [1, 2, 'unit_price'],
  total: [1, 2, 'line_total'],
  articul: ['a', 'b', 'sku'],
  discount: ['1%', '2%', 'discount_raw', 'discount_percent'],
  oldprice: [1, 2, 'list_price'],
  oldtotal: [1, 2, 'list_total'],
};

type Resource = {
  readonly name: string;
  readonly documented: Documented;
  /** How many fields the API documents. */
  readonly count: number;
  readonly normalize: (record: JsonObject) => { row: object | undefined; rejections: readonly unknown[] };
};

test.each([
  ['order', 'order-fields.ts', [...DOCUMENTED_FIELDS], ORDER],
  ['line', 'line-fields.ts', Object.keys(LINE_FIELDS), LINE],
])('each field that the program knows of an %s is tested here', (_, name, known, tested) => {
  expect(
    Object.keys(tested).toSorted(),
    `add fields of ${name} to this file: two values that must read differently, and the columns that show it`,
  ).toEqual(known.toSorted());
});

test('no field is both of the order and of its person, so that no column of a person is where the order is', () => {
  const columns = (table: Readonly<Record<string, { readonly fills: object }>>) =>
    new Set(Object.values(table).flatMap(({ fills }) => Object.keys(fills)));
  expect(Object.keys(PERSON_FIELDS).filter((field) => Object.hasOwn(ORDER_FIELDS, field))).toEqual([]);
  expect(columns(PERSON_FIELDS).intersection(columns(ORDER_FIELDS))).toEqual(new Set());
  const tables = [orders, orderPersons].map(
    (table) => new Set(getTableConfig(table).columns.map(({ name }) => name)),
  );
  expect(tables[0]?.intersection(columns(PERSON_FIELDS))).toEqual(new Set());
  expect(tables[1]?.intersection(columns(ORDER_FIELDS))).toEqual(new Set());
});

const context = { timezone: 'Europe/Moscow', guestSecret: 'a key' };

type WithPerson = {
  readonly row: object | undefined;
  readonly person: object | undefined;
  readonly rejections: readonly unknown[];
};

/** The columns of both tables side by side. */
const withPerson = ({ row, person, rejections }: WithPerson) => ({
  row: row && { ...row, ...person },
  rejections,
});

const resources: Resource[] = [
  { name: 'group', documented: GROUP, count: 12, normalize: (record) => normalizeGroup(record, context) },
  {
    name: 'user',
    documented: USER,
    count: 13,
    normalize: (record) => withPerson(normalizeUser('1', record, context)),
  },
  {
    name: 'user content',
    documented: USER_CONTENT,
    count: 9,
    normalize: (content) => {
      const { row, rejections } = withPerson(normalizeUser('1', { content }, context));
      return { row: { ...row, content: null }, rejections };
    },
  },
  {
    name: 'order',
    documented: ORDER,
    count: 28,
    normalize: (record) => withPerson(normalizeOrder(record, context)),
  },
  {
    name: 'line',
    documented: LINE,
    count: 10,
    normalize: (record) => {
      const { rows, rejections } = normalizeLines('1', [record]);
      return { row: rows[0], rejections };
    },
  },
];

describe.each(resources)('$name', ({ documented, count, normalize }) => {
  const base = Object.fromEntries(Object.entries(documented).map(([field, [one]]) => [field, one]));

  test('all documented fields are in the list, and good values are not rejected', () => {
    expect(Object.keys(documented).length).toBeGreaterThanOrEqual(count);
    expect(normalize(base).rejections).toEqual([]);
  });

  test.each(Object.entries(documented))('%s', (field, [, other, ...columns]) => {
    const before = normalize(base);
    const after = normalize({ ...base, [field]: other });
    const changed = Object.entries(after.row ?? {})
      .filter(
        ([column, value]) => JSON.stringify(Reflect.get(before.row ?? {}, column)) !== JSON.stringify(value),
      )
      .map(([column]) => column);
    expect(changed.toSorted()).toEqual(columns.toSorted());
    expect(after.rejections).toEqual([]);
  });
});
