import { expect, test } from 'vitest';

import { addUpLines } from '../../../src/warehouse/orders/load-lines.ts';

test.each([
  ['of a gift, nothing was to be paid', ['5.00', '0.00'], ['6.00', '0.00'], '5.00', '6.00'],
  ['a list total of nothing for what costs something was not sent', ['5.00'], ['0.00'], '5.00', null],
  ['nor one for what is not known to cost nothing', [null], ['0.00'], null, null],
  ['one line without an amount leaves the sum unknown', ['5.00', null], ['6.00', null], null, null],
  ['credit counts against the rest', ['5.05', '-7.10'], ['6.00', '-7.10'], '-2.05', '-1.10'],
  ['there are none', [], [], null, null],
] as const)('sums of lines: %s', (_what, totals, lists, lines_total, list_total) => {
  const added = addUpLines(totals.map((line_total, at) => ({ line_total, list_total: lists[at] ?? null })));
  expect(added).toMatchObject({ lines_total, list_total });
});

test.each([
  ['units of all lines', ['1.000', '2.500', '-1.250'], '2.250'],
  ['one line without a quantity leaves them unknown', ['1.000', null], null],
  ['there are none', [], null],
  ['more than the column can hold are not known', ['99999999999.999', '0.001'], null],
])('sums of lines: %s', (_what, quantities, units) => {
  expect(addUpLines(quantities.map((quantity) => ({ quantity })))).toMatchObject({ units });
});
