import { expect } from 'vitest';

import { copyRows, readFields } from '../../src/export/copy-rows.ts';
import { test } from '../support/fixtures.ts';

const VALUES = ['a\tb', 'c\nd', 'e\\f', 'g\rh', 'i\bj\fk\vl', '\\N', '\\.', '', null, 'Жя', '1,"2"'];
const literal = (value: string | null) =>
  value === null ? 'NULL' : `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
const QUERY = `SELECT n, ${VALUES.map(literal).join(', ')} FROM generate_series(1, 3) AS n`;

test('each row is passed on as COPY writes it, and its values equal those of SQL', async ({ warehouse }) => {
  const client = await warehouse.database.connect();
  const rows: unknown[] = [];
  await copyRows(client, QUERY, 'parquet', (row) => void rows.push(readFields(row)));
  expect(rows).toEqual(['1', '2', '3'].map((n) => [n, ...VALUES]));
  const lines: string[] = [];
  await copyRows(client, "SELECT 1, NULL, '', 'a \"b\", c'", 'csv', (row) => void lines.push(String(row)));
  expect(lines).toEqual(['1,,"","a ""b"", c"\n']);
  await client.end();
});

test('an error in a row is thrown, and so is an error of the database', async ({ warehouse }) => {
  const client = await warehouse.database.connect();
  let taken = 0;
  const fail = () => {
    taken += 1;
    throw new Error('the disk is full');
  };
  await expect(copyRows(client, QUERY, 'csv', fail)).rejects.toThrow('the disk is full');
  expect(taken).toBe(1);
  await expect(
    copyRows(client, 'SELECT 1/(3 - n) FROM generate_series(1, 3) AS n', 'csv', () => undefined),
  ).rejects.toThrow('division by zero');
  await client.end();
});
