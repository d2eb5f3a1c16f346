/** Taking persons out of stored orders: what is written, and what is read for it. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { type STRIPPED, strippedFingerprint } from '../../../src/normalize/privacy/identifiers.ts';
import { clearFingerprints } from '../../../src/warehouse/orders/compare-orders.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import {
  readLineTexts,
  readTypedOrders,
  type StrippedOrder,
  writeLineTexts,
  writeStripped,
} from '../../../src/warehouse/orders/strip-orders.ts';
import { cleared } from '../../support/cleared.ts';
import { at, orderPerson, orderToLoad, SEEN } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

const SECRET = 'a key';
const PLAIN = 'f'.repeat(32);

let warehouse: TestWarehouse;
let shopId: number;
let other: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
  other = await warehouse.newShop();
  const person = orderPerson({ buyer_email: 'anna@mail.example', rest: { note: 'a\0b', big: 5 } });
  const payload = cleared({
    order_id: '1',
    master_oid: '42',
    status: 'A',
    discount: '10%',
    delivery: 'Courier',
  });
  const row = { discount_raw: '10%', discount_percent: '10.0000' };
  const given = [
    orderToLoad('1', { person, payload, row, fingerprint: PLAIN }),
    orderToLoad('2', { person: null, fingerprint: PLAIN, row: { discount_percent: '5.0000' } }),
  ];
  for (const shop of [shopId, other]) await warehouse.write((tx) => loadOrders(tx, shop, given));
});

const strip = (stripped: readonly StrippedOrder[], reason: keyof typeof STRIPPED = 'pseudonymized') =>
  warehouse.write((tx) => {
    const keyed = stripped.map((each) => ({
      ...each,
      fingerprint: strippedFingerprint(SECRET, each.fingerprint, reason),
    }));
    return writeStripped(tx, shopId, keyed);
  });
const order = async (shop: number, id = '1') => {
  const [row] = await warehouse.rows(sql`
    SELECT o.fingerprint, o.delivery_name, o.discount_raw, o.discount_percent, o.buyer_oid, o.customer_key, o.status_code,
      o.lines_state, r.payload, p.buyer_email
    FROM core.orders o JOIN raw.orders r USING (shop_id, order_id) LEFT JOIN core.order_persons p USING (shop_id, order_id)
    WHERE o.shop_id = ${shop} AND o.order_id = ${id}`);
  return row;
};
const versions = async () =>
  warehouse.rows(sql`SELECT count(*) FROM core.order_versions WHERE shop_id = ${shopId}`);
const read = async (which: Parameters<typeof readTypedOrders>[2]) =>
  readTypedOrders(warehouse.db, shopId, which);
async function stripped(changes: Partial<StrippedOrder> = {}): Promise<StrippedOrder> {
  const [held] = await read({ ids: ['1'] });
  if (held === undefined) throw new Error('order 1 is not stored');
  return {
    orderId: '1',
    columns: held.columns,
    fields: {},
    fingerprint: held.fingerprint,
    hiddenCodes: { status_code: [], pay_status_code: [] },
    standIn: undefined,
    person: { person: null, contentRest: null },
    ...changes,
  };
}

test('an order is read with its typed columns, its person as sent, and codes of its past', async () => {
  const changed = orderToLoad('1', {
    row: { status_code: 'C' },
    seenAt: at('2026-03-11T00:00:00Z'),
    lastSeenAt: SEEN,
  });
  await warehouse.write((tx) =>
    loadOrders(tx, shopId, [{ ...changed, person: orderPerson({ rest: { note: 'a\0b' } }) }]),
  );
  const [held] = await read({ ids: ['1'] });
  expect(held).toMatchObject({
    orderId: '1',
    buyerOid: '42',
    columns: { status_code: 'C', delivery_name: 'Courier', order_hash: 'hash' },
    person: { buyer_name: 'A name', rest: { note: 'a\0b' }, content_rest: null },
  });
  expect(held?.formerCodes.status_code.toSorted()).toEqual(['A', 'C']);
  expect((await read({ ids: ['2'] }))[0]).toMatchObject({
    person: null,
    formerCodes: { status_code: ['A'], pay_status_code: ['S'] },
  });
  expect(await read({ ids: [] })).toEqual([]);
});

test('the order loses its person, and the same order of another shop keeps everything', async () => {
  const [before, past] = [await order(other), await versions()];
  const { columns } = await stripped();
  await strip([
    await stripped({
      columns: { ...columns, delivery_name: null, discount_raw: null, status_code: '(hidden)' },
      fields: { delivery: null, discount: null, status: '(hidden)' },
      standIn: '-5000000000000000000',
    }),
  ]);
  expect(await order(shopId)).toEqual({
    fingerprint: strippedFingerprint(SECRET, PLAIN, 'pseudonymized'),
    delivery_name: null,
    discount_raw: null,
    discount_percent: null,
    buyer_oid: '-5000000000000000000',
    customer_key: 'u:-5000000000000000000',
    status_code: '(hidden)',
    lines_state: 'ok',
    payload: {
      order_id: '1',
      master_oid: '-5000000000000000000',
      status: '(hidden)',
      discount: null,
      delivery: null,
    },
    buyer_email: null,
  });
  expect(await order(other)).toEqual(before);
  // What was taken out is no past of it.
  expect(await versions()).toEqual(past);
  const [second] = await read({ ids: ['2'] });
  if (second !== undefined) await strip([await stripped({ ...second, person: undefined })]);
  expect(await order(shopId, '2')).toMatchObject({ discount_raw: null, discount_percent: '5.0000' });
});

test('texts of lines are read of the orders asked for, and written where they are', async () => {
  const texts = { code: 'code', product_name: 'Product 1', sku: null, discount_raw: null };
  const lines = async (shop: number, ...ids: readonly string[]) =>
    (await readLineTexts(warehouse.db, shop, ids)).toSorted((a, b) => a.lineNo - b.lineNo);
  const [first, second, ...others] = await lines(shopId, '1', '9');
  expect([first, second?.lineNo, others]).toEqual([{ orderId: '1', lineNo: 1, texts }, 2, []]);
  const changed = { orderId: '1', lineNo: 1, texts: { ...texts, product_name: null, code: 'other' } };
  await warehouse.write((tx) => writeLineTexts(tx, shopId, [changed]));
  expect(await lines(shopId, '1')).toEqual([changed, second]);
  const kept = [...(await lines(shopId, '2')), ...(await lines(other, '1'))];
  expect(kept.map((line) => line.texts.code)).toEqual(['code', 'code', 'code', 'code']);
});

test('nothing typed remains of what an order was before, but for currencies that are codes', async () => {
  const days = ['2026-03-11', '2026-03-12'].map((day) => at(`${day}T00:00:00Z`));
  for (const [index, currency] of ['anna@mail.example', 'USD'].entries()) {
    const [seenAt = SEEN, lastSeenAt] = [days[index], days[index - 1] ?? SEEN];
    const row = { currency, status_code: index === 0 ? 'call Anna' : 'A' };
    const changed = orderToLoad('1', { row, seenAt, lastSeenAt, fingerprint: currency });
    await warehouse.write((tx) => loadOrders(tx, shopId, [changed]));
  }
  const past = () =>
    warehouse.rows(sql`
      SELECT currency, customer_key, status_code FROM core.order_versions
      WHERE shop_id = ${shopId} AND order_id = 1 ORDER BY valid_until`);
  expect((await past()).map(({ currency }) => currency)).toEqual(['EUR', 'anna@mail.example']);
  const hiddenCodes = { status_code: ['call Anna'], pay_status_code: [] };
  await strip([await stripped({ standIn: '-5000000000000000000', hiddenCodes })]);
  const customer_key = 'u:-5000000000000000000';
  expect(await past()).toEqual([
    { currency: 'EUR', customer_key, status_code: 'A' },
    { currency: null, customer_key, status_code: '(hidden)' },
  ]);
});

test('a fingerprint is made a keyed one once, and a cleared one stays cleared', async () => {
  await strip([await stripped()]);
  const keyed = strippedFingerprint(SECRET, PLAIN, 'pseudonymized');
  expect(await order(shopId)).toMatchObject({ fingerprint: keyed });
  await strip([await stripped()], 'erased');
  expect(await order(shopId)).toMatchObject({ fingerprint: strippedFingerprint(SECRET, PLAIN, 'erased') });
  await warehouse.write((tx) => clearFingerprints(tx, shopId, ['1']));
  expect(await order(shopId)).toMatchObject({ fingerprint: 'e:' });
  await strip([await stripped()]);
  expect(await order(shopId)).toMatchObject({ fingerprint: 'p:' });
});

test('orders are read on until all are without their persons, but for fields that are kept', async () => {
  const all = async () => (await read({ after: undefined, limit: 9 })).map(({ orderId }) => orderId);
  expect(await all()).toEqual(['1', '2']);
  expect((await read({ after: '1', limit: 9 })).map(({ orderId }) => orderId)).toEqual(['2']);
  expect((await read({ after: undefined, limit: 1 })).map(({ orderId }) => orderId)).toEqual(['1']);
  await strip([await stripped(), { ...(await stripped()), orderId: '2' }]);
  expect(await all()).toEqual([]);
});

test('what is stored of a person stays where nothing is said of it', async () => {
  await strip([await stripped({ person: undefined })]);
  expect(await order(shopId)).toMatchObject({ buyer_email: 'anna@mail.example' });
  expect((await read({ after: undefined, limit: 1 })).map(({ orderId }) => orderId)).toEqual(['1']);
});
