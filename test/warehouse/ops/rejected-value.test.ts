import { expect, test } from 'vitest';

import { describeRejectedValue } from '../../../src/warehouse/ops/rejected-value.ts';

test.each([
  ['order', 'status', 'X7'],
  ['order', 'created', '31.02.2026'],
  ['order', 'updated', '2026-02-31T10:00:00'],
  ['order', 'created', '31.2.2026 25:61'],
  ['order', 'summ', '12.5.7'],
  ['order', 'discount', '-5,5,5%'],
  ['content', 'oid', 'X_1'],
])('of %s, %s is kept: %j', (resource, field, value) => {
  expect(describeRejectedValue(resource, field, value)).toBe(value);
});

test.each([
  ['a field that people fill in', 'order.fio', 'Anna Weber', '10 characters, Latin, one space'],
  ['who bought', 'order.master_oid', 'a', '1 character, Latin'],
  ['a name where a code should be', 'order.status', 'Пётр Ильич Ли', '13 characters, Cyrillic, 2 spaces'],
  ['a name where an amount should be', 'order.summ', 'Ivan', '4 characters, Latin'],
  ['a whole element', 'order', '{"fio":"Anna"}', '14 characters, Latin, signs'],
  ['a field of another record', 'user.count', '5', '1 character, digits'],
  ['a phone', 'user.content.phone', '+49 151 1234567', '15 characters, digits, signs, 2 spaces'],
  [
    'a phone where an amount should be',
    'order.summ',
    '8 916 123-45-67',
    '15 characters, digits, signs, 2 spaces',
  ],
  ['an address where an amount should be', 'order.summ', 'anna@mail.example', '17 characters, Latin, signs'],
  ['an amount with a name behind it', 'order.summ', '12 Ivan', '7 characters, Latin, digits, one space'],
  ['a code of many letters', 'order.status', 'ABCDEFGHI', '9 characters, Latin'],
  ['a figure of many signs', 'order.summ', '1'.padEnd(25, '.'), '25 characters, digits, signs'],
  ['a Japanese name', 'order.status', '山田花子', '4 characters, other letters'],
  ['what would move the cursor', 'order.status', '\u001B[2J', '4 characters, Latin, digits, signs'],
  ['what was cut off', 'order.comment', 'x'.repeat(500), '500 characters or more, Latin'],
  ['nothing but blanks', 'order.fio', '  ', '2 characters, 2 spaces'],
])('of %s only the shape is kept', (_what, place, value, shape) => {
  const [resource = '', ...field] = place.split('.');
  expect(describeRejectedValue(resource, field.join('.') || null, value)).toBe(`text of ${shape}`);
});

test('nothing stays nothing', () => {
  expect(describeRejectedValue('order', 'summ', null)).toBeNull();
});

test.each(['123-45-67', '812-34-5678901', '495.12.34 567', '89-16-1234 567'])(
  'of a phone that begins like a date, %s, only the shape is kept',
  (phone) => {
    expect(describeRejectedValue('order', 'summ', phone)).toMatch(/^text of \d+ characters, digits, signs/);
  },
);
