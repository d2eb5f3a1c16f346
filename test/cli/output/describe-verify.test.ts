import { expect, test } from 'vitest';

import { verifyText } from '../../../src/cli/output/describe-verify.ts';
import { layOut } from '../../../src/cli/output/layout.ts';
import type { VerifyResult } from '../../../src/sync/verify/verify-shop.ts';

const month = (name: string, currency: string, isEqual: boolean): VerifyResult['months'][number] => ({
  month: name,
  currency,
  shop: { orders: 1_200, sum: '12345.67' },
  warehouse: isEqual ? { orders: 1_200, sum: '12345.67' } : { orders: 1_199, sum: '12000.00' },
  is_equal: isEqual,
});
const differing = (count: number, isSweepDue = false): VerifyResult['differences'] =>
  Array.from({ length: count }, (_, index) => ({
    order_id: String(index + 1),
    day: index === 0 ? null : '2026-03-05',
    kind: 'differs',
    is_sweep_due: isSweepDue,
    confirmed_at: null,
  }));
const RESULT: VerifyResult = {
  shop: 'north',
  status: 'ok',
  error: null,
  problems: [],
  list_requests: 1_030,
  content_requests: 0,
  from: null,
  to: null,
  is_equal: true,
  months: [],
  currencies: [],
  differences: [],
  orders_outside_verified_days: 0,
  orders_without_date: 0,
  orders_with_doubtful_lines: 0,
};
const text = (changed: Partial<VerifyResult>, isRepair = false) =>
  layOut(verifyText({ ...RESULT, ...changed }, isRepair));

test.each<[string, Partial<VerifyResult>, RegExp]>([
  ['nothing differs', {}, /^No order differs \(1,030 list requests\)\.\n$/],
  [
    'contents were requested, too',
    { content_requests: 70 },
    /^No order differs \(1,030 list requests, 70 of contents\)\.\n$/,
  ],
  [
    'one differs',
    { differences: differing(1) },
    /^1 order of the verified days differs:\n {2}order 1 without a readable date: differs\n/,
  ],
  ['some differ', { differences: differing(1_001) }, /^1,001 orders of the verified days differ:\n/],
  [
    'only newer ones differ',
    { differences: differing(1, true) },
    /^No order of the verified days differs \(/,
  ],
  [
    'newer ones differ, and a part was not read',
    { differences: differing(1, true), problems: ['a page failed'] },
    /^The comparison is incomplete: no difference in what was read \(.*\)\.\n[^]*\nNot compared: a page failed\.\n$/,
  ],
  ['a part was not read', { problems: ['a page failed'] }, /^The comparison is incomplete: /],
  [
    'months differ alone',
    { months: [month('2026-03', 'EUR', false)], is_equal: false },
    /\nMonths differ, although no order does \(/,
  ],
])('if %s, that comes first', (_what, changed, told) => {
  expect(text(changed)).toMatch(told);
});

test('an order of another month differs in its months, and in no sum of all of them', () => {
  const months = [month('2026-03', 'EUR', false), month('2026-04', 'EUR', false)];
  const { month: _all, ...equal } = month('all', 'EUR', true);
  const shown = text({ months, currencies: [{ ...equal, is_equal: false }], is_equal: false });
  expect(shown).toMatch(/^2026-04 .*  differs$/m);
  expect(shown).toMatch(/^all .*  months differ$/m);
});

test('twenty orders are shown, and how to repair them', () => {
  const listed = (count: number) =>
    text({ differences: differing(count) })
      .split('\n')
      .slice(1, -1);
  const advice = '`order-sync verify --repair` syncs their days again.';
  expect(listed(20)).toEqual([
    '  order 1 without a readable date: differs',
    ...Array.from({ length: 19 }, (_, index) => `  order ${index + 2} of 2026-03-05: differs`),
    advice,
  ]);
  expect(listed(22).slice(-3)).toEqual([
    '  order 20 of 2026-03-05: differs',
    '  and 2 more; --json lists all.',
    advice,
  ]);
  expect(text({ differences: differing(2) }, true)).not.toContain('--repair');
});

test('orders that the next sweep loads anyway are reported separately, and so are those outside the verified days', () => {
  const due = (count: number, isRepair: boolean) =>
    text({ differences: differing(count, true) }, isRepair).split('\n')[1];
  expect(due(1, true)).toBe(
    '1 more order differs: it changed after its day was last read, or its day is due.',
  );
  expect(due(1_200, false)).toBe(
    `1,200 more orders differ: they changed after their days were last read, or their days are due. The next sweeps load them when their days are due; \`order-sync verify --repair\` does so now.`,
  );
  expect(text({ orders_outside_verified_days: 1_500 })).toContain(
    '\nOrders outside the verified days: 1,500.\n',
  );
  expect(text({ orders_outside_verified_days: 3, orders_without_date: 2 })).toContain(
    ': 3, 2 of them without a readable date.\n',
  );
});

test('months are a table with a total per currency', () => {
  const months = [month('2026-02', 'EUR', true), month('2026-03', 'EUR', false), month('2026-03', '', true)];
  const { month: _month, ...none } = month('', '', true);
  const both = { orders: 2_400, sum: '24691.34' };
  const held = { orders: 2_399, sum: '24345.67' };
  const euros = { currency: 'EUR', shop: both, warehouse: held, is_equal: false };
  const rows = text({ months, currencies: [none, euros], differences: differing(1) }).split('\n');
  expect(rows.slice(0, 6).map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['month', 'currency', 'orders in shop', 'in warehouse', 'sum in shop', 'in warehouse'],
    ['2026-02', 'EUR', '1,200', '1,200', '12345.67', '12345.67'],
    ['2026-03', 'EUR', '1,200', '1,199', '12345.67', '12000.00', 'differs'],
    ['2026-03', '1,200', '1,200', '12345.67', '12345.67'],
    ['all', '1,200', '1,200', '12345.67', '12345.67'],
    ['all', 'EUR', '2,400', '2,399', '24691.34', '24345.67', 'differs'],
  ]);
});

test.each<[string, Partial<VerifyResult>, RegExp]>([
  ['nothing differs', {}, /\nNothing to repair: no order differs\.\n$/],
  ['lines are doubtful', { orders_with_doubtful_lines: 1 }, /^No order differs \(.*\)\.\n$/],
  ['a part was not read', { problems: ['a page failed'] }, /\nNot repaired: it is not known which /],
  ['months differ alone', { is_equal: false }, /\nNot repaired: compare again\.\n$/],
])('if %s, a repair says whether there is anything to do', (_what, changed, told) => {
  expect(text(changed, true)).toMatch(told);
});
