import { expect, test } from 'vitest';

import { contentLines } from '../../../src/shop-api/endpoints/order-content.ts';
import { readAnswer } from '../../../src/shop-api/wire/read-answer.ts';

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

test('a response that cannot be decoded is no data, even if it looks like some', () => {
  const response = { status: 200, headers: new Headers(), text: '{"order_id":7,"ordercontent":[]}' };
  const isData = (undecodable: string | undefined) =>
    readAnswer({ ...response, undecodable }).value !== undefined;
  expect([isData(undefined), isData('it names no charset')]).toEqual([true, false]);
});
