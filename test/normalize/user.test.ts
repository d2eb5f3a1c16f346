import { expect, test } from 'vitest';

import { type JsonObject, type JsonValue, parseJson } from '../../src/model/json.ts';
import { normalizeUser } from '../../src/normalize/user.ts';

const context = { timezone: 'Europe/Moscow' };
const images = [{ thumb: '/t.jpg', path: '/p.jpg', length: 10, width: 2, height: 3, name: 'p' }];
const content = {
  address: 'Lenina 1',
  email: 'a@b.example',
  gender: 'female',
  images,
  level: '2',
  login: 'anna',
  name: 'Anna',
  org_name: '',
  phone: '123',
  birthday: 'unknown field',
};
const wire: JsonObject = {
  oid: 42,
  name: 'Folder name',
  parent_oid: '5',
  visible: 1,
  access: 'all',
  master_oid: 3,
  created: '2025-02-03 09:05:06',
  updated: '0000-00-00 00:00:00',
  content,
};

test('a user is read into typed columns, the person into columns of its own, and the content is kept whole', () => {
  expect(normalizeUser('42', wire, context)).toEqual({
    row: {
      user_oid: '42',
      group_oid: '5',
      level: 2,
      owner_oid: '3',
      visible: '1',
      access: 'all',
      created_local: '2025-02-03T09:05:06',
      updated_local: null,
      created_at: Temporal.Instant.from('2025-02-03T06:05:06Z'),
    },
    person: {
      login: 'anna',
      email: 'a@b.example',
      phone: '123',
      name: 'Anna',
      org_name: null,
      gender: 'female',
      address: 'Lenina 1',
      images,
      content,
    },
    rejections: [],
  });
});

test('an empty content is an empty object, however PHP wrote it', () => {
  for (const empty of [[], {}]) {
    const { row, person, rejections } = normalizeUser('42', { ...wire, content: empty }, context);
    expect(row?.level).toBeNull();
    expect(person).toMatchObject({ content: {}, email: null, images: null });
    expect(rejections).toEqual([]);
  }
  expect(normalizeUser('42', { ...wire, content: null }, context).person?.content).toBeNull();
});

const bad: [what: string, more: JsonObject, column: string, value: JsonValue, field: string][] = [
  ['content that is a list', { content: [1] }, 'content', null, 'content'],
  ['content that is text', { content: 'x' }, 'login', null, 'content'],
  ['a level that is a word', { content: { level: 'gold' } }, 'level', null, 'content.level'],
  ['images that are no list', { content: { images: {} } }, 'images', null, 'content.images'],
  ['an e-mail that is an object', { content: { email: {} } }, 'email', null, 'content.email'],
  ['a group that is no number', { parent_oid: 'x' }, 'group_oid', null, 'parent_oid'],
  ['an impossible date', { created: '2025-02-30 00:00:00' }, 'created_at', null, 'created'],
];

test.each(bad)('%s leaves its column null, with a rejection', (_what, more, column, value, field) => {
  const { row, person, rejections } = normalizeUser('42', { ...wire, ...more }, context);
  expect({ ...row, ...person }).toHaveProperty(column, value);
  expect(rejections.map((rejection) => [rejection.resource, rejection.sourceKey, rejection.field])).toEqual([
    ['user', '42', field],
  ]);
});

test('content nested too deep for the column still gives the columns beside it', () => {
  let deep: JsonValue = {};
  for (let level = 0; level < 40; level += 1) deep = { deep };
  const { person, rejections } = normalizeUser('42', { ...wire, content: { ...content, deep } }, context);
  expect(person).toMatchObject({ content: null, login: 'anna' });
  expect(rejections).toEqual([expect.objectContaining({ reason: 'nested deeper than 32 levels' })]);
});

test('a record of another user, found by a login of digits, gives no row', () => {
  expect(normalizeUser('43', wire, context)).toEqual({
    row: undefined,
    rejections: [expect.objectContaining({ sourceKey: '43', field: null, value: '42' })],
  });
});

test('an identifier beyond the precision of a double is still the same user', () => {
  const oid = '9007199254740993';
  expect(normalizeUser(oid, { ...wire, oid: parseJson(oid) }, context).row?.user_oid).toBe(oid);
});
