import { expect, test } from 'vitest';

import { contentLines } from '../../../src/shop-api/endpoints/order-content.ts';
import { readAnswer } from '../../../src/shop-api/wire/read-answer.ts';
import { apiOf } from '../api-of.ts';
import { bodies, startScriptedShop } from '../scripted-shop.ts';

test('lines that are keyed by their numbers come in the order of the numbers, wherever they are in the answer', () => {
  const lines = { b: 'second letter', 10: 'ten', 9: 'nine', 100: 'hundred', a: 'first letter' };
  const sorted = ['nine', 'first letter', 'second letter', 'ten', 'hundred'];
  for (const raw of [
    { ordercontent: lines },
    { content: { ordercontent: lines } },
    { ordercontent: lines, content: ['others'] },
  ]) {
    expect(contentLines(raw)).toEqual(sorted);
  }
  expect(contentLines({ content: ['b', 'a'] })).toEqual(['b', 'a']);
});

test('elements without an identifier count as received, since the next page starts after them', async () => {
  await using shop = await startScriptedShop(
    bodies('{"orders":[{"order_id":7},{"fio":"x"},null],"total":3}'),
  );
  const page = await apiOf(shop).listOrders({});
  expect(page).toMatchObject({ received: 3, rows: { length: 1 }, malformed: { length: 2 }, total: 3 });
  expect(page.keys).toEqual(['["7",null,null]', '{"fio":"x"}', 'null']);
});

test('a response that cannot be decoded is no data, even if it looks like some', () => {
  const response = { status: 200, headers: new Headers(), text: '{"order_id":7,"ordercontent":[]}' };
  const isData = (undecodable: string | undefined) =>
    readAnswer({ ...response, undecodable }).value !== undefined;
  expect([isData(undefined), isData('it names no charset')]).toEqual([true, false]);
});

test('a content with lines is data, whatever success says beside them; without lines it says that the order is gone', async () => {
  const line = '{"oid":"1_a","name":"x"}';
  const answers = [
    `{"success":0,"ordercontent":[${line}]}`,
    '{"success":0,"ordercontent":[]}',
    '{"success":"0"}',
    '{"success":0,"ordercontent":[],"message":"too many requests"}',
  ];
  await using shop = await startScriptedShop(bodies(...answers));
  const api = apiOf(shop);
  expect(await api.orderContent('7')).toMatchObject({ kind: 'found', lines: { length: 1 } });
  expect(await api.orderContent('7')).toEqual({ kind: 'gone' });
  expect(await api.orderContent('7')).toEqual({ kind: 'gone' });
  // Beside a message it may be any error.
  await expect(api.orderContent('7')).rejects.toThrow('an error message instead of data');
});

test("a flat content is data, whatever the buyer's message beside its lines says", async () => {
  const order = '"order_id":7,"fio":"A","message":"Ring twice"';
  await using shop = await startScriptedShop(
    bodies(
      `{${order},"ordercontent":[{"oid":"1_a"}]}`,
      `{${order},"success":0,"ordercontent":{"9":{"oid":"1_a"}}}`,
    ),
  );
  const api = apiOf(shop);
  for (const _ of [1, 2]) {
    expect(await api.orderContent('7')).toMatchObject({ kind: 'found', lines: [{ oid: '1_a' }] });
  }
});
