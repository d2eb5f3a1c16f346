import { expect, test } from 'vitest';

import type { JsonObject } from '../../src/model/json.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';

const wire: JsonObject = {
  oid: '5',
  name: 'Wholesale',
  url: 'wholesale',
  type: 'group',
  template: 7,
  visible: true,
  parent_oid: 0,
  sort: '10',
  master_oid: 3,
  access: 1,
  updated: '2025-02-04 10:11:12',
  created: '2025-02-03 09:05:06',
};

const SHOP = { timezone: 'Europe/Moscow' };

test('a group is read into typed columns', () => {
  expect(normalizeGroup(wire, SHOP)).toEqual({
    row: {
      group_oid: '5',
      parent_oid: '0',
      name: 'Wholesale',
      url: 'wholesale',
      type: 'group',
      template: '7',
      visible: 'true',
      sort: 10,
      owner_oid: '3',
      access: '1',
      created_local: '2025-02-03T09:05:06',
      updated_local: '2025-02-04T10:11:12',
    },
    rejections: [],
  });
});

test('a type or an access that is true or false is text', () => {
  const { row, rejections } = normalizeGroup({ ...wire, type: true, access: false }, SHOP);
  expect([row?.type, row?.access, rejections]).toEqual(['true', 'false', []]);
});

test.for<[JsonObject, string | null]>([
  [{ ...wire, oid: '20 digits' }, '20 digits'],
  [{ ...wire, oid: null }, null],
  [{ name: 'Wholesale' }, null],
])('a group without a usable oid gives no row: %j', ([sent, value]) => {
  const ofRecord = { resource: 'group', sourceKey: null, field: null, value };
  expect(normalizeGroup(sent, SHOP)).toEqual({
    row: undefined,
    rejections: [expect.objectContaining(ofRecord)],
  });
});

test('a field that cannot be read is null, and its rejection names the group', () => {
  const { row, rejections } = normalizeGroup({ ...wire, sort: 'first', name: ['x'] }, SHOP);
  expect(row).toMatchObject({ sort: null, name: null, url: 'wholesale' });
  expect(rejections.map(({ sourceKey, field }) => [sourceKey, field])).toEqual([
    ['5', 'name'],
    ['5', 'sort'],
  ]);
});
