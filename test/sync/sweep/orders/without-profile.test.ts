/** An order is read again before it is written, where its texts name the person of an account that is known by then. */
import { expect, test } from 'vitest';

import type { JsonObject } from '../../../../src/model/json.ts';
import { keepAll } from '../../../../src/normalize/privacy/privacy.ts';
import { readLines, withoutProfile } from '../../../../src/sync/sweep/orders/prepare-order.ts';

const SEEN = Temporal.Instant.from('2026-03-05T10:00:00Z');
const PROFILE = [{ name: 'Ivan Petrov', org_name: 'Turquoise Anchor' }];
const profiles = new Map([['17', PROFILE]]);
const privacy = keepAll('secret', { timezone: 'Europe/Berlin' });

function prepared(row: JsonObject, name: string) {
  const answer = { ordercontent: [{ oid: '1_a', name, engraving: 'tea' }] };
  const sent = { order_id: '5', master_oid: '17', ...row };
  const read = privacy.order(sent);
  if (read.row === undefined) throw new Error('an order with a number has a row');
  const { rejections: _none, ...lines } = readLines(privacy, '5', answer, read);
  return {
    row: read.row,
    payload: read.payload,
    person: read.person,
    sent: { row: sent, answer },
    lines: { kind: 'fetched' as const, fetchedAt: SEEN, ...lines },
  };
}

test('whose texts name it, in the header or in a line, goes without them, and its person keeps what was sent', () => {
  const order = prepared({ delivery: 'for Ivan' }, 'Mug, Turquoise Anchor');
  expect([order.row.withheld, order.lines.rows[0]?.withheld]).toEqual([0, 0]);
  const { row, payload, person, lines } = withoutProfile(privacy, profiles, order);
  expect(row).toMatchObject({ delivery_name: null, withheld: 1 });
  expect(payload['delivery']).toBe('(hidden)');
  expect(person?.rest).toEqual({ delivery: 'for Ivan' });
  expect(lines).toMatchObject({
    rows: [{ product_name: null, withheld: 1 }],
    payload: { ordercontent: [{ oid: '1_a', name: '(hidden)' }] },
    rest: { ordercontent: { 0: { name: 'Mug, Turquoise Anchor', engraving: 'tea' } } },
    fetchedAt: SEEN,
  });
});

test('of another account, or without its name, it is as it was', () => {
  const [quiet, other] = [prepared({}, 'Mug'), prepared({ master_oid: '18', delivery: 'for Ivan' }, 'Mug')];
  expect(withoutProfile(privacy, profiles, quiet)).toBe(quiet);
  expect(withoutProfile(privacy, profiles, other)).toBe(other);
});
