/** Elements of a list that are no order of a known time or identifier, and orders that share one identifier. */
import { expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../../src/model/json.ts';
import {
  elementId,
  type ListRow,
  type OrdersQuery,
  rowKey,
} from '../../../src/shop-api/endpoints/list-orders.ts';
import { readMatching } from '../../../src/shop-api/paging/read-list.ts';
import { pagingDeps } from './read-one.ts';

const order = (id: number, time: string, created = '05.03.2026') => ({ order_id: id, created, time });

/** All of a list by pages of four. An order that has a `twin` is one of those that its page cannot tell apart. */
function read(elements: readonly JsonValue[], isKeyed = false) {
  const rowOf = (raw: JsonValue): readonly ListRow[] => {
    const orderId = elementId(raw);
    return orderId === undefined || Object.hasOwn(Object(raw), 'twin')
      ? []
      : [{ orderId, raw: raw as JsonObject }];
  };
  const listOrders = async ({ start = 0 }: OrdersQuery) => {
    const page = elements.slice(start, start + 4);
    return {
      rows: page.flatMap(rowOf),
      malformed: page.filter((element) => rowOf(element).length === 0),
      received: page.length,
      keys: page.map((element) => rowOf(element).map(rowKey)[0] ?? JSON.stringify(element)),
      isKeyed,
      total: elements.length,
    };
  };
  return readMatching(pagingDeps({ listOrders }), { from: undefined, to: undefined }, { maxPages: 100 });
}

/** The orders beside each element without a place. */
const beside = ({ unplaced = [] }: Awaited<ReturnType<typeof read>>) =>
  unplaced.map(({ before, after }) => [before?.orderId, after?.orderId]);

const NAMELESS = { fio: 'x' };

test('of an element without identifier and date, the orders beside it are told, also across pages', async () => {
  const list = [order(9, '19:00'), order(8, '18:00'), NAMELESS, order(7, '17:00'), order(6, '16:00')];
  const matching = await read([...list, order(5, '15:00'), order(4, '14:00')]);
  expect(beside(matching)).toEqual([['8', '7']]);
  expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 6 }, malformed: [NAMELESS] });
  expect(beside(await read([NAMELESS, ...list.slice(0, 2)]))).toEqual([[undefined, '9']]);
  expect(beside(await read([...list.slice(0, 2), NAMELESS, 'text']))).toEqual([
    ['8', undefined],
    ['8', undefined],
  ]);
  expect(beside(await read(list.filter((element) => element !== NAMELESS)))).toEqual([]);
});

test('an order whose date cannot be read has no place either, and is not beside it', async () => {
  const list = [
    order(9, '19:00'),
    order(8, '', '00.00.0000'),
    NAMELESS,
    order(7, '', 'x'),
    order(6, '16:00'),
  ];
  expect(beside(await read(list))).toEqual([['9', '6']]);
});

test('an element that has a date has its place, and so has one that has an identifier', async () => {
  const dated = { created: '05.03.2026', time: '18:30' };
  const twin = { ...order(8, '', '00.00.0000'), twin: true };
  const matching = await read([order(9, '19:00'), dated, twin, order(7, '17:00')]);
  expect(matching).toMatchObject({ rows: { length: 2 }, malformed: [dated, twin] });
  expect(beside(matching)).toEqual([]);
});

test('of a list that keeps no order, nothing is beside an element', async () => {
  expect(beside(await read([order(6, '16:00'), NAMELESS, order(9, '19:00')], true))).toEqual([
    [undefined, undefined],
  ]);
});

test('of orders that share an identifier none is taken, be they of one page or of several', async () => {
  const twins = [order(9, '19:00'), order(9, '10:00', '04.03.2026')] as const;
  const others = [order(8, '18:00'), order(7, '17:00'), order(6, '16:00')];
  const matching = await read([twins[0], ...others, twins[1]]);
  expect(matching.rows.map(({ orderId }) => orderId)).toEqual(['8', '7', '6']);
  expect(matching.malformed).toEqual(twins);
  // One that its page could not tell apart has the identifier all the same.
  const twin = { ...order(8, '19:00'), twin: true };
  const half = await read([...others, twin]);
  expect(half.rows.map(({ orderId }) => orderId)).toEqual(['7', '6']);
  expect(half.malformed).toEqual([twin, others[0]]);
});
