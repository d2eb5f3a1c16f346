import { describe, expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../src/model/json.ts';
import { parseInteger, parseMoney, parsePercent, parseQuantity } from '../../src/normalize/numbers.ts';

/** Amounts, and texts that stand for them, with bars between. */
const AMOUNTS: readonly [amount: string, texts: string][] = [
  ['1234.50', '1234.50 | 1 234,50 | 1\u00a0234,50 | 1\u202f234,50 | 1.234,50 | 1,234.50 | 1ʼ234,50'],
  [
    '1234.50',
    "1'234.50 | 1&nbsp;234,50 | 1&#160;234,50 | 1 234,50 р. | 1 234,50 &#8381; | 1 234,50&nbsp; руб.",
  ],
  ['1234.50', 'RUB 1234.50 | RUB1234.50 | US$ 1,234.50 | R$ 1.234,50 | \ufeff1234.50\u200b | <b>1234.50</b>'],
  ['1234.50', '\u200e1\u2007234,50\u200f | 1\u2060234\u00ad,50'],
  ['1234.50', '<span class="price">1 234,50</span> <small>руб.</small>'],
  ['1234.50', '<nobr>1&nbsp;234,50&nbsp;<i class="rub">₽</i></nobr><br />'],
  ['-1234.50', '−1\u202f234,50 | -RUB 1234.50 | RUB -1234.50'],
  ['1234567.50', '1\u2009234\u2009567,5 | 1&#xA0;234&thinsp;567,50'],
  ['1234567.89', '1.234.567,89 | 1,234,567.891'],
  ['1234567.00', '1’234’567 | 1.234.567 | 1,234,567'],
  ['100.00', '100 руб. | 100руб | 100 ₽ | 100 RUB | 100 rur | руб. 100 | ₽ 100 | 100 kr.'],
  ['500.00', '500,- | 500,- Kč'],
  ['1000.00', '1\u200b000 | 1.0E+3'],
  ['100000.00', '1e5'],
  ['12.50', '12,5 | 12,50 | 12,50 € | 12,50 &euro; | &#36;12.50 | $12.50 USD'],
  ['5.00', `5. | $5 | ${'0'.repeat(40)}5 | ${'0'.repeat(255)}5`],
  ['-5.00', '-$5 | $ -5'],
  ['7.00', '+7'],
  ['-7.00', '−7 | - 7'],
  ['-7.50', '&minus;7,50 &pound;'],
  ['-7255.00', '-7,255'],
  ['0.50', '.5 | $.50'],
  ['0.44', `0.${'4'.repeat(40)}`],
  ['0.30', '0.30000000000000004'],
  ['0.02', '1.5E-2'],
  ['0.01', '0.005'],
  ['-0.01', '-0.005'],
  ['1.01', '1.005'],
  ['0.00', '0 | -0.001 | 0e999999999999 | 1e-999999999999 | 0.00499999999999999999999'],
  ['999999999999.99', '999999999999.994'],
];

test.each(AMOUNTS)('%s is read from %s', (amount, texts) => {
  for (const text of texts.split(' | '))
    expect(parseMoney(text), text).toEqual({ value: amount, problems: [] });
  expect(parseMoney(` ${texts.split(' | ')[0]} `).value).toBe(amount);
});

test.each<[number: JsonValue, amount: string]>([
  [1234.5, '1234.50'],
  [0, '0.00'],
  [-0, '0.00'],
  [0.1 + 0.2, '0.30'],
  [parseJson('0.30000000000000004'), '0.30'],
  [parseJson('1e3'), '1000.00'],
  [1e-7, '0.00'],
  [parseJson('1e-150'), '0.00'],
  [parseJson('123456789012.005'), '123456789012.01'],
])('the number %j is the amount %s', (number, amount) => {
  expect(parseMoney(number)).toEqual({ value: amount, problems: [] });
});

const ambiguous: [text: string, asMoney: string, asQuantity: string, why: string][] = [
  ['1,234', '1234.00', '1.234', 'money has two decimals, quantities have three'],
  ['12,345', '12345.00', '12.345', 'money has two decimals, quantities have three'],
  ['1.234', '1.23', '1.234', 'a lone dot is how programs write decimals'],
  ['0,500', '0.50', '0.500', 'no thousands begin with a zero'],
  ['1234,567', '1234.57', '1234.567', 'a group before a mark has at most three digits'],
  ['1 234,567', '1234.57', '1234.567', 'the blank is the mark of the thousands'],
  ['1 234.567', '1234.57', '1234.567', 'the blank is the mark of the thousands'],
];

test.each(ambiguous)(
  'one mark before three digits: %s is %s of money and a quantity of %s, since %s',
  (...row) => {
    const [text, asMoney, asQuantity] = row;
    expect([parseMoney(text).value, parseQuantity(text).value]).toEqual([asMoney, asQuantity]);
  },
);

const NO_MONEY: readonly JsonValue[] = [
  'abc | - | . | , | +-5 | --5 | 5- | руб. | ₽ | NaN | Infinity | -inf | 0x10 | 1_000 | ٣',
  '5 руб. и ещё | 5 EUR! | 1 2,5 | 1’23 | 1 2 | 12 34 | 1  234 | 1,23,456 | 1,2345,678 | 1.234.56',
  "1,234,56 | 1.2.3 | 0,123,456 | 1,234.567.8 | 1.234,5,6 | 1 234'567 | 10% | 5 тыс. | 3 pcs | 1 млн",
  '100 руб. 50 коп. | 1e | 1e5.5 | (5.00) | (5) | １２３ | 1２ | 0b11 | 0o7 | 5−5 | −−5 | infinity | nan',
  '1000000000000 | -1000000000000 | 999999999999.995 | 1e400 | 1e99999999999 | NULL | true',
  '$-5- | -$-5 | $ | RUB | RUB RUB | 5 $ 6 | $5 6 | Anna 5 | 5 Anna | 1&234 | 1&#0;2 | 5&lt;6 | &nbsp;',
  '100<br>200 | 1<b>234</b> | <b>5</b> and 6 | <b title="Anna">5</b> | <Anna>5 | <b class="x1">5</b>',
  `${'9'.repeat(40)} | -${'9'.repeat(40)}.99 | ${'9'.repeat(300)} | ${'0'.repeat(256)}5`,
]
  .flatMap((texts): JsonValue[] => texts.split(' | '))
  .concat([parseJson('9'.repeat(40)), Number.NaN, Infinity, 1e12, true, false, [], [5], {}, { value: 5 }]);

test.for(NO_MONEY)('%j is not an amount of money, and is refused with a reason', (wire) => {
  expect(parseMoney(wire)).toEqual({ value: null, problems: [expect.stringMatching(/amount of money/)] });
});

test('a weight in a currency is refused, and so is a quantity with a unit', () => {
  for (const wire of ['5 руб', '5 €', '500 g', '2 кг']) {
    expect(parseQuantity(wire)).toEqual({ value: null, problems: ['not a quantity'] });
  }
  expect(parseQuantity('2.5').value).toBe('2.500');
  expect(['&nbsp;2,5', '<b>2.5</b>', '2.5\u200b'].map((wire) => parseQuantity(wire).value)).toEqual(
    Array(3).fill('2.500'),
  );
  expect(parseQuantity('100000000000').problems).toEqual(['a quantity beyond 11 digits']);
});

const percents: [wire: JsonValue, percent: string | null][] = [
  ['10%', '10.0000'],
  ['10 %', '10.0000'],
  [' 12,5% ', '12.5000'],
  ['1,234%', '1.2340'],
  ['-3.33333%', '-3.3333'],
  ['10&nbsp;%', '10.0000'],
  ['<b>10&#37;</b>', '10.0000'],
  ['10', null],
  [10, null],
  ['500 руб.', null],
  ['% off', null],
];

test.each(percents)('the discount %j is %s percent', (wire, percent) => {
  expect(parsePercent(wire)).toEqual({ value: percent, problems: [] });
});

test.each(['%', 'ten %', '1000%', '5%%'])('%s ends with a percent sign but is not a percentage', (wire) => {
  expect(parsePercent(wire)).toEqual({ value: null, problems: [expect.stringMatching(/percentage/)] });
});

describe('whole numbers of 32 bits', () => {
  test.each<[wire: JsonValue, number: number]>([
    [3, 3],
    ['3', 3],
    ['3.0', 3],
    ['1 000', 1000],
    [parseJson('2e3'), 2000],
    ['-2147483648', -2_147_483_648],
    ['2147483647', 2_147_483_647],
  ])('%j is %d', (wire, number) => {
    expect(parseInteger(wire)).toEqual({ value: number, problems: [] });
  });
  const refused = ['2.5', 2.5, '2147483648', '-2147483649', '1e30', '1e-400', 'x', '5 руб', true, {}];
  test.for(refused)('%j is refused', (wire) => {
    expect(parseInteger(wire).value).toBeNull();
    expect(parseInteger(wire).problems).toHaveLength(1);
  });
});
