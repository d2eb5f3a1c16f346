import { expect, test } from 'vitest';

import { csvWriter, jsonWriter, tableWriter } from '../../../src/cli/output/query-result.ts';
import { cliContext } from '../../support/cli-context.ts';
import type { QueryColumn } from '../../../src/warehouse/query/read-query.ts';

const NUMBER = [{ name: 'a', kind: 'number', isUnscaled: false }] as const;
const JSON_VALUE = [{ name: 'a', kind: 'json', isUnscaled: false }] as const;
const NUMBERS = Array.from({ length: 10 }, (_, index) => String(index));

/** Writes a result of many batches. @returns how many were read, and what was written */
async function write(
  writer: typeof csvWriter,
  isOpen: () => boolean,
  values: readonly (string | null)[] = NUMBERS,
  columns: readonly QueryColumn[] = NUMBER,
) {
  let read = 0;
  async function* batches() {
    for (const value of values) {
      yield [[value]];
      read += 1;
    }
  }
  const { io, written } = cliContext({ io: { outIsOpen: isOpen } });
  await writer(io)({ columns, batches: batches(), unverified: [] });
  const told = written.err.join('');
  return { read, text: written.out.join(''), ...(told !== '' && { told }) };
}

test('all batches are written one after the other', async () => {
  expect(await write(csvWriter, () => true)).toEqual({ read: 10, text: 'a\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
  expect((await write(jsonWriter, () => true)).text).toBe(
    `{"rows":[${NUMBERS.map((n) => `{"a":${n}}`).join(',')}],"unverified":[]}\n`,
  );
  expect((await write(jsonWriter, () => true, [])).text).toBe('{"rows":[],"unverified":[]}\n');
  expect((await write(tableWriter, () => true)).text).toMatch(/^a\n0\n[\s\S]*9\n\(10 rows\)\n$/);
});

test('nothing more is read once nobody reads the output', async () => {
  for (const writer of [csvWriter, jsonWriter])
    expect(await write(writer, () => false)).toMatchObject({ read: 0 });
});

test('a value of CSV is quoted where it holds a separator, a quote or the end of a line of any kind', async () => {
  const values = ['plain', 'a,b', 'a"b', 'a\nb', 'a\rb', 'a\r\nb', '', null, ' a ', ';'];
  const { text } = await write(csvWriter, () => true, values);
  expect(text).toBe('a\nplain\n"a,b"\n"a""b"\n"a\nb"\n"a\rb"\n"a\r\nb"\n""\n\n a \n;\n');
});

test('a JSON value stays on its line', async () => {
  expect((await write(jsonWriter, () => true, ['{\n"a": 1\n}'], JSON_VALUE)).text).toBe(
    '{"rows":[{"a":{ "a": 1 }}],"unverified":[]}\n',
  );
});

test('a table says how many rows it has, or that there are more than it shows', async () => {
  const rows = (count: number) => Array.from({ length: count }, () => '7');
  const last = async (count: number) =>
    (await write(tableWriter, () => true, rows(count))).text.split('\n').at(-2);
  expect([await last(0), await last(1), await last(1_000), await last(1_001)]).toEqual([
    '(0 rows)',
    '(1 row)',
    '(1000 rows)',
    '7',
  ]);
});

test('a table that ends early says so beside it, and reads no more than it shows', async () => {
  const values = Array.from({ length: 1_009 }, () => '7');
  const { read, told } = await write(tableWriter, () => true, values);
  expect([read, told]).toEqual([
    1_000,
    'These are the first 1000 rows; --format csv or --format json prints all of them.\n',
  ]);
  expect((await write(tableWriter, () => true, values.slice(9))).told).toBeUndefined();
  expect((await write(jsonWriter, () => true, [null])).text).toBe('{"rows":[{"a":null}],"unverified":[]}\n');
});

test('numbers keep their digits in JSON, and times are of ISO 8601', async () => {
  const json = async (kind: QueryColumn['kind'], value: string) =>
    (await write(jsonWriter, () => true, [value], [{ name: 'a', kind, isUnscaled: false }])).text.slice(
      10,
      -20,
    );
  expect(await json('number', '12345678901234567890.10')).toBe('"a":12345678901234567890.10');
  expect(await json('number', '-1e-07')).toBe('"a":-1e-07');
  for (const value of ['NaN', 'Infinity', '-Infinity'])
    expect(await json('number', value)).toBe(`"a":"${value}"`);
  expect(await json('boolean', 'true')).toBe('"a":true');
  expect(await json('time', '2026-03-01 13:00:00+01')).toBe('"a":"2026-03-01T13:00:00+01:00"');
  expect(await json('time', '2026-03-01 13:00:00.25+05:30')).toBe('"a":"2026-03-01T13:00:00.25+05:30"');
  expect(await json('time', '2026-03-01 13:00:00')).toBe('"a":"2026-03-01T13:00:00"');
  expect(await json('time', '-infinity')).toBe('"a":"-infinity"');
});
