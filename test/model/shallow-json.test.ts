import { expect, test } from 'vitest';

import { parseShallowJson } from '../../src/model/json.ts';

const nested = (levels: number, inside: string) =>
  '[{"a":'.repeat(levels / 2) + inside + '}]'.repeat(levels / 2);

test('200 levels are kept, and a sentence stands for what is nested deeper', () => {
  expect(JSON.stringify(parseShallowJson(nested(200, '[]')))).toBe(
    nested(200, '"nested too deep to be kept"'),
  );
  for (const inside of ['1', '"[[["', '12345678901234567890']) {
    expect(JSON.stringify(parseShallowJson(nested(200, inside)))).toBe(nested(200, inside));
  }
});

test.each([4000, 100_000, 2_000_000])('a value that is %i levels deep spoils nothing beside it', (levels) => {
  const text = `{"orders":[{"order_id":1,"fields":${'['.repeat(levels)}${']'.repeat(levels)},"summ":2}]}`;
  const fields = JSON.parse(`${'['.repeat(197)}"nested too deep to be kept"${']'.repeat(197)}`) as unknown;
  expect(parseShallowJson(text)).toEqual({ orders: [{ order_id: 1, fields, summ: 2 }] });
});

test('brackets within texts are no levels, and those that are never closed are no JSON', () => {
  const text = JSON.stringify({ a: '[{'.repeat(1000), b: '"\\"['.repeat(1000), c: '"['.repeat(1000) });
  expect(JSON.stringify(parseShallowJson(text))).toBe(text);
  const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
  const cut = `${'['.repeat(199)}"nested too deep to be kept"${']'.repeat(199)}`;
  expect(JSON.stringify(parseShallowJson(`{"t":${text},"d":${deep},"u":${text}}`))).toBe(
    `{"t":${text},"d":${cut},"u":${text}}`,
  );
  expect(() => parseShallowJson('['.repeat(1000))).toThrow(SyntaxError);
  expect(() => parseShallowJson('['.repeat(2_000_000))).toThrow(SyntaxError);
});
