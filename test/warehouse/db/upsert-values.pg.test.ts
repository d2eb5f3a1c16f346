import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../../src/model/json.ts';
import { openThings, thing, type Things } from '../things.ts';

let table: Things;
beforeAll(async () => {
  table = await openThings();
});
afterAll(() => table[Symbol.asyncDispose]());
beforeEach(() => table.clear());

test('NUL and lone surrogates, which PostgreSQL refuses, do not hold up the other rows', async () => {
  await table.put([
    thing('1', { name: 'a\0b\ud800c', body: { 'k\0': ['\0', '\udfff'] } }),
    thing('2', { name: 'C:\\u0000\\ud83d \u{1f600}' }),
  ]);
  expect(await table.held()).toMatchObject([
    { name: 'ab?c', body: '{"k": ["", "?"]}' },
    { name: 'C:\\u0000\\ud83d \u{1f600}' },
  ]);
});

test('jsonb keeps every digit of raw numbers, and scalars of every kind', async () => {
  const bodies = [
    '12345678901234567890',
    '0.30000000000000004',
    '1e200',
    '"text"',
    'false',
    '[]',
    '{"a": null}',
  ];
  await table.put(bodies.map((body, index) => thing(String(index), { body: parseJson(body) })));
  expect((await table.held()).map(({ body }) => body)).toEqual(bodies.with(2, `1${'0'.repeat(200)}`));
});

const anyThing = fc.record({
  id: fc.integer({ min: 1, max: 6 }).map(String),
  name: fc.constantFrom(null, '', 'a', 'b\0'),
  amount: fc.constantFrom(null, '0.00', '1.00'),
  body: fc.constantFrom<JsonValue>(null, 0, '', {}, { a: [1] }),
});
const anyBatch = fc.uniqueArray(anyThing, { selector: ({ id }) => id, minLength: 1 });

test('any sequence of upserts leaves the last values of each row, and counts the differing rows', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(anyBatch, { minLength: 1, maxLength: 4 }), async (batches) => {
        const expected = new Map<string, string>();
        for (const batch of batches) {
          const stored = batch.map((row) => ({ ...row, name: row.name?.replace('\0', '') ?? null }));
          const differing = stored.filter((row) => expected.get(row.id) !== JSON.stringify(row));
          for (const row of stored) expected.set(row.id, JSON.stringify(row));
          expect(await table.put(batch.map((row) => ({ place: 'here', ...row })))).toBe(differing.length);
        }
        const rows = (await table.held()).map(({ id, name, amount, body }) => {
          return { id, name, amount, body: typeof body === 'string' ? JSON.parse(body) : body };
        });
        const ids = [...expected.keys()].toSorted((a, b) => Number(a) - Number(b));
        expect(rows.map((row) => JSON.stringify(row))).toEqual(ids.map((id) => expected.get(id)));
      })
      .beforeEach(() => table.clear()),
    { numRuns: 60 },
  );
});
