import stringWidth from 'string-width';
import { expect, test } from 'vitest';

import { describeQueryFailure, pointer } from '../../../src/cli/output/query-failure.ts';
import { QueryError } from '../../../src/warehouse/query/read-query.ts';

const QUERY = `SELECT ${'order_id, '.repeat(12)}ordr_sum, ${'order_date, '.repeat(12)}currency\nFROM orders`;
const AT = QUERY.indexOf('ordr_sum') + 1;

/** The character above the mark. */
const marked = ([line = '', mark = '']: readonly string[]) => Array.from(line)[mark.length - 1];

test('a line that fits is shown whole', () => {
  expect(pointer('SELECT 1\n\tFRM\torders\r', 11, 80)).toEqual(['LINE 2:  FRM orders', '         ^']);
  expect(pointer('SELECT 東京, x', 12, 80)).toEqual(['LINE 1: SELECT 東京, x', '                     ^']);
  expect(pointer(QUERY, AT)[0]).toBe(`LINE 1: ${QUERY.split('\n')[0]}`);
  expect(pointer(QUERY, undefined, 80)).toEqual([]);
});

test('a longer one is cut around the mark, at any width and wherever the mark is', () => {
  for (const width of [30, 40, 61, 80, 120]) {
    const lines = pointer(QUERY, AT, width);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThan(width);
    expect(lines[0]).toMatch(/^LINE 1: ….*ordr_s.*…$/);
    expect(marked(lines)).toBe('o');
  }
  const first = pointer(QUERY, 1, 40);
  expect(first).toEqual([expect.stringMatching(/^LINE 1: SELECT order_id, .{10,}…$/), '        ^']);
  const last = pointer(QUERY, QUERY.indexOf('currency') + 1, 40);
  expect(last[0]).toMatch(/^LINE 1: ….{10,} currency$/);
  expect(marked(last)).toBe('c');
});

const view = (schema: string, name: string) => ({ schema, name, comment: '', columns: [] });
const VIEWS = [
  view('bi', 'orders'),
  view('bi', 'order_lines'),
  view('bi_pii', 'order_contacts'),
  view('bi_pii', 'users'),
];
const ONLY_READS = /^The query was refused: This command only reads, /;

function fail(query: string, fault: QueryError['fault'], role = 'bi_reader'): string {
  const error = new QueryError('it is wrong', fault);
  return describeQueryFailure(error, query, { views: VIEWS, role, timeout: '30s', columns: undefined });
}
/** @param mark what PostgreSQL points at */
const at = (query: string, mark: string) => query.indexOf(mark) + 1;

test.each([
  ['INSERT INTO orders VALUES (1)', {}],
  ['  ;\n update orders SET a = 1', {}],
  ['-- why\nVACUUM', {}],
  ['WITH gone AS (DELETE  FROM orders RETURNING 1) SELECT * FROM gone', {}],
  ['SELECT 1 FROM orders FOR NO KEY UPDATE', { code: '42501' }],
  ['SELECT 1 FROM orders for share', { code: '42501' }],
  ['SELECT 1 INTO b FROM orders', {}],
  ['EXPLAIN MERGE INTO orders USING b ON true', { code: '42601' }],
  ['TABLE orders', { code: '55000', hint: 'To enable it, provide an INSTEAD OF trigger.' }],
])('%s is refused, since queries only read', (query, fault) => {
  expect(fail(query, fault)).toMatch(ONLY_READS);
});

test.each([
  ["SELECT 'INSERT INTO a'", { code: '42703' }],
  ['SELECT updated FROM orders', { code: '42703' }],
  ['SELECT 1 INTO b', { code: '42601', position: 10 }],
  ['SELECT 1', { code: '55000', hint: 'Wait.' }],
  ['SELECT 1', { code: '22000', hint: 'Use an INSTEAD OF rule.' }],
])('%s is no attempt to write', (query, fault) => {
  expect(fail(query, fault)).toMatch(/^The query failed: it is wrong\n/);
});

test('several statements are refused as such, where nothing else is wrong with one of them', () => {
  const several = 'The query failed: these are 2 statements; run one at a time.\n';
  expect(fail('SELECT 1; SELECT 2', { code: '42601' })).toBe(several);
  expect(fail('SELECT 1; SELECT 2', { code: '42703' })).not.toBe(several);
  expect(fail('SELECT 1; SELEC 2', { code: '42601', position: 11 })).not.toBe(several);
  expect(fail('SELECT 1;', { code: '42601' })).not.toBe(several);
});

const LISTED = /--views lists the views/;
test.each<[string, QueryError['fault'], string | RegExp | undefined, string?]>([
  [
    'SELECT * FROM ordrs',
    { code: '42P01', position: at('SELECT * FROM ordrs', 'ordrs') },
    'Did you mean bi.orders?',
  ],
  ['SELECT * FROM x.ordrs a', { code: '42P01', position: 15 }, 'Did you mean bi.orders?'],
  ['SELECT * FROM "Order_Lines", b', { code: '42P01', position: 15 }, 'Did you mean bi.order_lines?'],
  ['SELECT * FROM invoices', { code: '42P01', position: 15 }, LISTED],
  ['SELECT * FROM ordrs', { code: '42P01', position: 15, hint: 'of the server' }, 'of the server'],
  [
    'SELECT * FROM order_contacts',
    { code: '42P01', position: 15 },
    'bi_pii.order_contacts holds personal data: --pii shows it.',
  ],
  ['SELECT * FROM order_contcts', { code: '42P01', position: 15 }, LISTED],
  [
    'SELECT * FROM order_contcts',
    { code: '42P01', position: 15 },
    'Did you mean bi_pii.order_contacts?',
    'bi_pii_reader',
  ],
  ['SELECT * FROM order', { code: '42601', position: 15 }, 'Did you mean bi.orders?'],
  ['select 1 join  order', { code: '42601', position: 16 }, 'Did you mean bi.orders?'],
  ['SELECT * FROM ORDER BY 1', { code: '42601', position: 15 }, undefined],
  ['SELECT * FROM order a ORDER BY 1', { code: '42601', position: 15 }, 'Did you mean bi.orders?'],
  ['SELECT order', { code: '42601', position: 8 }, undefined],
  [' help ', { code: '42601', position: 2 }, LISTED],
  [String.raw`\d`, { code: '42601', position: 1 }, LISTED],
  ['SELECT a', { code: '42703', position: 8 }, LISTED],
  ['SELECT a', { code: '42703', position: 8, hint: 'Perhaps b.' }, 'Perhaps b.'],
  ['SELECT a', { code: '42501' }, /^This command reads as bi_reader: the views of bi alone; --pii adds/],
  [
    'SELECT a',
    { code: '42501' },
    'This command reads as bi_pii_reader: the views of bi and bi_pii.',
    'bi_pii_reader',
  ],
  ['SELECT a', { code: '57014' }, /^It took longer than 30s\. /],
  ['SELECT a', { code: '25006' }, /^This command only reads/],
  ['SELECT a', { code: '22000', hint: 'of\tthe server' }, String.raw`of\tthe server`],
])('the hint for %s, %o', (query, fault, hint, role) => {
  const said = /^Hint: (.*)$/m.exec(fail(query, fault, role))?.[1];
  if (typeof hint === 'object') expect(said).toMatch(hint);
  else expect(said).toBe(hint);
});

test('the message, its detail, its place and the hint are lines of their own', () => {
  const fault = { code: '22000', detail: 'more\u0007', hint: 'do so', position: 8 };
  expect(fail('SELECT a', fault)).toBe(
    'The query failed: it is wrong\nmore\\u0007\nLINE 1: SELECT a\n               ^\nHint: do so\n',
  );
});
