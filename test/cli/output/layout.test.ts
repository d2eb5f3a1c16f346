import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { layOut } from '../../../src/cli/output/layout.ts';

const table = (rows: readonly (readonly string[])[], columns?: number) => layOut([{ table: rows }], columns);

const MONTHS = [
  ['month', 'currency', 'orders in shop', 'in warehouse', 'sum in shop', 'in warehouse', ''],
  ['2026-01', 'EUR', '12,345', '12,344', '1234567890.12', '1234567779.13', 'differs'],
];

test('without a terminal nothing is wrapped, and numbers are aligned right', () => {
  expect(
    table([
      ['shop', 'orders'],
      ['north of here', '7'],
      ['south', '1,234'],
    ]),
  ).toBe('shop           orders\nnorth of here       7\nsouth           1,234\n');
});

test('the widest text is wrapped at its spaces, and numbers stay whole', () => {
  const rows = [
    ['shop', 'reason', 'open'],
    ['north', 'not an amount of money, such as 1234567.89', '1,234,567'],
  ];
  const text = table(rows, 40);
  expect(text).toBe(
    `shop   reason                       open
north  not an amount of        1,234,567
       money, such as
       1234567.89
`,
  );
});

test('a table that is too wide for any columns becomes one block per row', () => {
  const [heading = [], january = []] = MONTHS;
  const [first, second, ...more] = table([heading, january, ['2026-02', ...january.slice(1)]], 40).split(
    '\n\n',
  );
  expect(first).toContain('  orders in shop  12,345\n');
  expect([first, second?.trimEnd()].map((block) => block?.split('\n')[0])).toEqual([
    expect.stringContaining('2026-01'),
    expect.stringContaining('2026-02'),
  ]);
  expect(more).toEqual([]);
});

test('no line is wider than the terminal, and each number is in one piece', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '-', '/'), minLength: 1, maxLength: 30 });
  const sentence = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
  const number = fc.integer({ min: 0, max: 10_000_000 }).map((value) => value.toLocaleString('en-US'));
  const rows = fc.array(fc.tuple(sentence, number, sentence, number), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 50, max: 120 }), (body, columns) => {
      const text = table([['shop', 'orders', 'what is wrong with it', 'rejections'], ...body], columns);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      for (const [, one, , other] of body) {
        expect(text).toContain(one);
        expect(text).toContain(other);
      }
    }),
  );
});

test('names and values stand one below the other, and long values go on below themselves', () => {
  const rows = [
    ['Orders', '1,234'],
    ['Shop is asked', '4 of 4 requests at once, 10 per second'],
  ] as const;
  expect(layOut([{ facts: rows }], 40)).toBe(
    `  Orders         1,234
  Shop is asked  4 of 4 requests at
                 once, 10 per second
`,
  );
});

test('sentences are wrapped between words, what is indented stays so, and an address stays whole', () => {
  expect(layOut(['Load: about 27 min', '  First order: 2024-01-31'], 16)).toBe(
    'Load: about 27\nmin\n  First order:\n    2024-01-31\n',
  );
  expect(layOut(['  as it is', '', 'a\nb'])).toBe('  as it is\n\na\nb\n');
  expect(layOut(['at https://shop.example/cart'], 12)).toBe('at\nhttps://shop.example/cart\n');
  expect(layOut(['東京 都庁'], 4)).toBe('東京\n都庁\n');
  expect(layOut(['    ab c'], 3)).toBe('    ab\n      c\n');
});

test('control characters are shown as escapes, wherever they are', () => {
  const evil = 'red \u001B[31m \u202E';
  const shown = String.raw`red \u001b[31m \u202e`;
  expect(layOut([evil, { facts: [['a', evil]] }, { table: [['a'], [evil]] }]).split('\n')).toEqual([
    shown,
    `  a  ${shown}`,
    'a',
    shown,
    '',
  ]);
});
