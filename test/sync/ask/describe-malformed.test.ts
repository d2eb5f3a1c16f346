/** Orders that no identifier tells apart: what is said of them, and which days they hold up. */
import { expect, test } from 'vitest';

import { UNPLACED } from '../../../src/shop-api/paging/list.ts';
import { describeMalformed } from '../../../src/sync/ask/find-listed.ts';

const SHOP = { timezone: 'Europe/Berlin' };
const UNSTORABLE = 'the shop lists an order whose order_id is no 64-bit integer, so it cannot be stored';
const twinOf = (id: number) =>
  `the shop lists two different orders under the order_id ${id}, so they cannot be told apart`;

test('elements are told by what is wrong with them, with their days; those that hold up no day are not', () => {
  const on = (day: string) => ({ created: `2026-03-${day} 10:00:00` });
  const elements = [
    { order_id: 'x', ...on('09') },
    { order_id: 'y', ...on('08') },
    { order_id: 'z', ...on('09') },
    { order_id: 7, ...on('07') },
    { order_id: 8 },
    { fio: 'someone' },
    'text',
  ];
  expect(describeMalformed(elements, SHOP)).toEqual([
    { reason: UNSTORABLE, days: ['2026-03-09', '2026-03-08'] },
    { reason: twinOf(7), days: ['2026-03-07'] },
    { reason: UNPLACED, days: [] },
  ]);
  expect(describeMalformed([{ order_id: 8 }], SHOP)).toEqual([]);
});
