/** Whatever a server sends, a normalizer answers with values: it throws nothing and changes nothing. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../src/json.ts';
import { fingerprint } from '../../src/normalize/fingerprint.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { createdMinute, normalizeOrder } from '../../src/normalize/order.ts';
import type { Rejection } from '../../src/normalize/rejection.ts';
import { normalizeUser } from '../../src/normalize/user.ts';

const context = { timezone: 'Europe/Berlin', hashKey: 'a key' };

const FIELDS =
  'order_id phone email address comment fio fields status pay_status currency pay_method summ count paid discount ' +
  'delivery delivery_id delivery_price weight master_oid views user_unique_key color users created updated time hash ' +
  'oid code name price total articul oldprice oldtotal url type template visible parent_oid sort access content ' +
  'images level login gender org_name __proto__ constructor toString';

const nasty = fc.constantFrom(
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '"a:1:{s:9:\\"__proto__\\";a:1:{s:8:\\"polluted\\";i:1;}}"',
  '"a:1:{s:4:\\"a\\";"',
  '"O:8:\\"stdClass\\":0:{}"',
  '"now"',
  '"infinity"',
  '"NaN"',
  '"1e999999999"',
  '"31.02.2025"',
  '"03.02.2025"',
  '"0000-00-00 00:00:00"',
  '"10:30"',
  '"100%"',
  '"1 234,50 руб."',
  '1e308',
  '12345678901234567890123',
  '-0',
  '[]',
  '{}',
  '7',
  '"7"',
  `"${'9'.repeat(1000)}"`,
  '['.repeat(500) + ']'.repeat(500),
);
const value = fc.oneof(
  nasty,
  fc.json({ maxDepth: 4, stringUnit: 'binary' }),
  fc.string().map((text) => JSON.stringify(text)),
);
const record = fc
  .dictionary(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...FIELDS.split(' ')) },
      { weight: 1, arbitrary: fc.string() },
    ),
    value,
    {
      maxKeys: 40,
      size: 'max',
    },
  )
  .map((entries) => objectOf(entries));

/** Parsed from text, as payloads are: the key `__proto__` is an own one. */
function objectOf(entries: { readonly [key: string]: string }): JsonObject {
  const parts = Object.entries(entries).map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  const parsed = parseJson(`{${parts.join(',')}}`);
  if (!isJsonObject(parsed)) throw new Error('not an object');
  return parsed;
}

function expectStorable(rejections: readonly Rejection[], row: object | undefined): void {
  for (const { reason, value } of rejections) {
    expect(reason).not.toBe('');
    expect(value === null || (value.length <= 500 && value.isWellFormed() && !value.includes('\0'))).toBe(
      true,
    );
  }
  const stored = JSON.stringify(row ?? {});
  // What PostgreSQL refuses in text and in jsonb.
  expect(stored).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
  expect(stored).not.toContain('"__proto__":');
}

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Map.prototype];
const properties = () => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype));

test('generated payloads of every kind are normalized without an exception or a trace in any prototype', () => {
  const before = properties();
  fc.assert(
    fc.property(record, value, (payload, other) => {
      const copy = JSON.stringify(payload);
      const asOrder = normalizeOrder({ ...payload, order_id: 1 }, context);
      expectStorable(asOrder.rejections, asOrder.row);
      const anyOrder = normalizeOrder(payload, context);
      expectStorable(anyOrder.rejections, anyOrder.row);
      expect(anyOrder.row === undefined).toBe(anyOrder.rejections.some(({ field }) => field === null));
      const lines: JsonValue[] = [payload, parseJson(other), payload];
      const content = normalizeLines('1', lines);
      expectStorable(content.rejections, content.rows);
      const user = normalizeUser('7', { ...payload, oid: 7, content: payload }, context);
      expectStorable(user.rejections, user.row);
      const group = normalizeGroup(payload);
      expectStorable(group.rejections, group.row);
      expect(createdMinute(payload)?.toString().length ?? 19).toBe(19);
      expect(fingerprint(payload)).toHaveLength(32);
      expect(JSON.stringify(payload)).toBe(copy);
    }),
    { numRuns: 1000 },
  );
  expect(properties()).toEqual(before);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});
