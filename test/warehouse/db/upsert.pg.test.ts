import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { parseJson } from '../../../src/model/json.ts';
import { openThings, type Options, thing, type Things } from '../things.ts';

let table: Things;
beforeAll(async () => {
  table = await openThings();
});
afterAll(() => table[Symbol.asyncDispose]());
beforeEach(() => table.clear());

test('rows are inserted with every value as given', async () => {
  expect(
    await table.put([thing('9223372036854775807'), thing('-1', { name: '', amount: '-0.01', body: null })]),
  ).toBe(2);
  expect(await table.held()).toEqual([
    { id: '-1', name: '', amount: '-0.01', body: null, seen_at: '2026-03-01 00:00:00+00', hits: null },
    {
      id: '9223372036854775807',
      name: 'thing 9223372036854775807',
      amount: '1.50',
      body: '{"list": [1, "two"]}',
      seen_at: '2026-03-01 00:00:00+00',
      hits: null,
    },
  ]);
});

test('only rows whose values differ are written: the others keep their version', async () => {
  await table.put([thing('1'), thing('2'), thing('3', { name: null })]);
  const [one, two, three] = await table.versions();
  // Other spellings of equal values are no difference.
  const same = thing('1', {
    amount: '1.5',
    seen_at: Temporal.Instant.from('2026-03-01T02:00:00+02:00'),
    body: parseJson('{"list":[1.0,"two"]}'),
  });
  expect(await table.put([same, thing('2', { amount: '1.51' }), thing('3', { name: null })])).toBe(1);
  expect(await table.versions()).toEqual([
    one,
    { ...two, xmin: expect.not.stringMatching(String(two?.['xmin'])) },
    three,
  ]);
  expect(await table.held()).toMatchObject([{ amount: '1.50' }, { amount: '1.51' }, { amount: '1.50' }]);
});

test('a value that became null is written, and one that was null', async () => {
  await table.put([thing('1'), thing('2', { name: null })]);
  expect(await table.put([thing('1', { name: null }), thing('2', { name: '' })])).toBe(2);
  expect(await table.held()).toMatchObject([{ name: null }, { name: '' }]);
});

test('a column that is not given keeps its value, while null clears it', async () => {
  await table.put([thing('1')]);
  expect(await table.put([{ place: 'here', id: '1', amount: null }])).toBe(1);
  expect(await table.held()).toMatchObject([
    { id: '1', name: 'thing 1', amount: null, body: '{"list": [1, "two"]}' },
  ]);
});

test('a difference in silent columns alone is not written; with another one they are', async () => {
  const silent: Options = { silent: ['hits', 'seen_at'] };
  await table.put([thing('1', { hits: 'first' })], silent);
  const before = await table.versions();
  expect(
    await table.put(
      [thing('1', { hits: 'second', seen_at: Temporal.Instant.from('2026-03-02T00:00:00Z') })],
      silent,
    ),
  ).toBe(0);
  expect(await table.versions()).toEqual(before);
  expect(await table.held()).toMatchObject([{ hits: 'first' }]);
  expect(await table.put([thing('1', { hits: 'third', name: 'other' })], silent)).toBe(1);
  expect(await table.held()).toMatchObject([{ hits: 'third', name: 'other' }]);
});

test('if every given column is silent, existing rows stay as they are', async () => {
  await table.put([thing('1', { hits: 'first' })]);
  const hits = (id: string) => ({ place: 'here', id, hits: 'second' });
  expect(await table.put([hits('1'), hits('2')], { silent: ['hits'] })).toBe(1);
  expect(await table.held()).toMatchObject([{ hits: 'first' }, { hits: 'second' }]);
});

test('an insertOnly column is never changed after the insert', async () => {
  const options: Options = { insertOnly: ['seen_at'] };
  await table.put([thing('1')], options);
  expect(
    await table.put([thing('1', { seen_at: Temporal.Instant.from('2027-01-01T00:00:00Z') })], options),
  ).toBe(0);
  expect(
    await table.put(
      [thing('1', { seen_at: Temporal.Instant.from('2027-01-01T00:00:00Z'), name: 'other' })],
      options,
    ),
  ).toBe(1);
  expect(await table.held()).toMatchObject([{ name: 'other', seen_at: '2026-03-01 00:00:00+00' }]);
});

test('if only the key is given, existing rows stay as they are', async () => {
  await table.put([thing('1')]);
  expect(
    await table.put([
      { place: 'here', id: '1' },
      { place: 'here', id: '2' },
    ]),
  ).toBe(1);
  expect(await table.held()).toMatchObject([
    { id: '1', name: 'thing 1' },
    { id: '2', name: null },
  ]);
});

test('one call takes 10,000 rows, and a second one writes only what differs', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => thing(String(index)));
  expect(await table.put(rows)).toBe(10_000);
  expect(await table.put(rows)).toBe(0);
  expect(await table.put(rows.with(5_000, thing('5000', { name: 'other' })))).toBe(1);
  const versions = (await table.versions()).map(({ xmin }) => xmin);
  expect(versions).toHaveLength(10_000);
  expect(new Set(versions).size).toBe(2);
});

test('no rows write nothing', async () => {
  expect(await table.put([])).toBe(0);
});

test('a key that is given twice is refused, and nothing is written', async () => {
  await expect(table.put([thing('1'), thing('2'), thing('1')])).rejects.toMatchObject({
    cause: { code: '21000' },
  });
  expect(await table.held()).toEqual([]);
});
