/** Hundreds of thousands of characters where a few belong: no work that grows with the square, no stack that overflows. */
import { expect, test } from 'vitest';

import type { JsonValue } from '../../src/model/json.ts';
import { fingerprint } from '../../src/normalize/fingerprint.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { normalizeUser } from '../../src/normalize/user.ts';
import { expectAtOnce } from './hostile/at-once.ts';
import { type Field, GROUP_FIELDS, LINE_FIELDS, ORDER_FIELDS, USER_FIELDS } from './hostile/fields.ts';

/** Work that grows with its square takes ten seconds and more. */
const LENGTH = 100_000;
const PIECES = '0#9#1,#1 #T#_#-#@a.#\0x#😀#\ud800#%#["a",#a:1:{i:0;#s:1:"a";'.split('#');
const context = { timezone: 'Europe/Moscow', guestSecret: 'a key' };

const filled = (fields: readonly Field[], value: JsonValue) =>
  Object.fromEntries(fields.map(({ name }) => [name.replace('content.', ''), value]));

function normalizeAll(text: string) {
  return {
    order: normalizeOrder({ ...filled(ORDER_FIELDS, text), order_id: 1 }, context),
    user: normalizeUser(
      '7',
      { ...filled(USER_FIELDS, text), oid: 7, content: filled(USER_FIELDS, text) },
      context,
    ),
    group: normalizeGroup({ ...filled(GROUP_FIELDS, text), oid: 1 }, context),
    lines: normalizeLines('1', [filled(LINE_FIELDS, text)]),
  };
}

test.each(PIECES)('a hundred thousand times %j in every field is read or refused at once', (piece) => {
  const text = `${piece.repeat(LENGTH)}x`;
  expectAtOnce(() => fingerprint(filled(ORDER_FIELDS, text)));
  expectAtOnce(() => normalizeOrder({ order_id: text }, context));
  const read: ReturnType<typeof normalizeAll>[] = [];
  expectAtOnce(() => read.push(normalizeAll(text)));

  expect(normalizeOrder({ order_id: text }, context).row).toBeUndefined();
  const [{ order, user, group, lines } = normalizeAll(text)] = read;
  expect(order.row).toMatchObject({
    order_sum: null,
    created_at: null,
    views: null,
    status_code: '',
  });
  // A list that never ends may begin with an entry.
  expect(Object.keys(order.person?.fields ?? {}).length).toBeLessThan(2);
  const refused = order.rejections.map(({ field }) => field);
  expect(refused).toEqual(
    expect.arrayContaining(['summ', 'created', 'time', 'updated', 'views', 'status', 'fields']),
  );
  expect([user.row?.level, group.row?.sort, lines.rows[0]?.quantity]).toEqual([null, null, null]);
  const excerpts = [order, user, group, lines].flatMap(({ rejections }) =>
    rejections.map(({ value }) => value ?? ''),
  );
  expect(Math.max(...excerpts.map((value) => value.length))).toBeLessThanOrEqual(500);
});

test('a huge list or object is not text, and is rejected with its beginning', () => {
  const list = Array.from({ length: LENGTH }, () => 0);
  const map = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key ${at}`, at]));
  for (const value of [list, map]) {
    const { rejections } = normalizeOrder(
      { ...filled(ORDER_FIELDS, value), order_id: 1, fields: '' },
      context,
    );
    // All but the identifier and the one that may hold such values.
    expect(new Set(rejections.map(({ field }) => field)).size).toBe(ORDER_FIELDS.length - 2);
    expect(rejections.every((rejection) => rejection.value?.length === 500)).toBe(true);
  }
});
