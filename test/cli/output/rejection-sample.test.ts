import { expect, test } from 'vitest';

import { sampleKey, sampleText } from '../../../src/cli/output/rejection-sample.ts';

test.each([
  ['order', 'summ', 'free', 'free'],
  ['order', 'status', 'X7', 'X7'],
  ['order', 'created', '31.02.2026', '31.02.2026'],
  ['content', 'oid', 'x_1', 'x_1'],
  ['group', 'sort', '', ''],
])('of an %s, %s may be shown: %j', (resource, field, value, shown) => {
  expect(sampleText(resource, field, value)).toBe(shown);
});

test.each([
  ['a field that people fill in', 'order', 'fio', 'Anna Weber', 'text of 10 characters'],
  ['who bought', 'order', 'master_oid', 'a', 'text of 1 character'],
  ['what a whole element held', 'order', null, '{"fio":"Anna"}', 'text of 14 characters'],
  ['a field that is known for another record alone', 'user', 'count', '5', 'text of 1 character'],
  ['a field of a user', 'user', 'content.phone', '+49 151 1234567', 'text of 15 characters'],
  ['an address where an amount should be', 'order', 'summ', 'anna@mail.example', 'text of 17 characters'],
  ['a long text where a code should be', 'order', 'status', 'x'.repeat(33), 'text of 33 characters'],
  ['an object where a number should be', 'order', 'weight', '{"a":1}', 'text of 7 characters'],
  [
    'what was cut off when it was kept',
    'order',
    'comment',
    'x'.repeat(500),
    'text of 500 characters or more',
  ],
  ['what would move the cursor', 'order', 'status', '\u001B[2J', 'text of 4 characters'],
])('%s is told by its length alone', (_what, resource, field, value, shown) => {
  expect(sampleText(resource, field, value)).toBe(shown);
});

test('a record is identified by its number, not by a login or an e-mail address', () => {
  expect(['17', 'anna', 'anna@mail.example', '', null].map(sampleKey)).toEqual([
    '17',
    null,
    null,
    null,
    null,
  ]);
  expect(sampleText('order', 'summ', null)).toBe('nothing');
});
