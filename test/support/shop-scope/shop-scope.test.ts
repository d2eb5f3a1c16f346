import { parse } from 'libpg-query';
import { describe, expect, test } from 'vitest';

import { statementsIn } from './sql-nodes.ts';
import { findUnbound } from './shop-scope.ts';

const TABLES = new Set(['core.shops', 'core.orders', 'core.order_lines', 'core.users', 'ops.leases']);

async function unbound(sql: string): Promise<readonly string[]> {
  const found = statementsIn(await parse(sql)).flatMap((statement) => findUnbound(statement, TABLES).unbound);
  return found.map((tables) => tables.join('+'));
}

describe('bound to a shop', () => {
  test.each([
    'SELECT * FROM core.orders WHERE shop_id = $1 AND order_id = 2',
    'SELECT * FROM core.orders o JOIN core.order_lines l USING (shop_id, order_id) WHERE o.shop_id = $1',
    'SELECT * FROM core.orders o, core.order_lines l WHERE o.shop_id = $1 AND (l.shop_id, l.order_id) = (o.shop_id, o.order_id)',
    'SELECT * FROM core.orders o LEFT JOIN (SELECT shop_id, count(*) FROM core.order_lines GROUP BY 1) l USING (shop_id) WHERE o.shop_id = 1',
    'SELECT * FROM core.orders WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = $1)',
    'SELECT * FROM core.orders WHERE shop_id = ANY ($1)',
    'SELECT * FROM core.orders WHERE (shop_id, order_id) IN (SELECT shop_id, order_id FROM core.order_lines WHERE shop_id = $1)',
    'SELECT (SELECT count(*) FROM core.orders o WHERE o.shop_id = s.shop_id) FROM core.shops s WHERE shop_id = 1',
    'WITH mine AS (SELECT * FROM core.orders WHERE shop_id = $1) DELETE FROM core.order_lines l USING mine WHERE l.shop_id = mine.shop_id',
    'WITH all_orders AS (SELECT shop_id FROM core.orders) SELECT FROM all_orders WHERE shop_id = 1',
    'UPDATE core.orders o SET views = 1 FROM json_to_recordset($1) AS given(shop_id integer) WHERE o.shop_id = given.shop_id',
    'INSERT INTO core.orders (shop_id) SELECT shop_id FROM core.users WHERE shop_id = $1 ON CONFLICT DO NOTHING',
    'SELECT 1 UNION SELECT views FROM core.orders WHERE shop_id = 1',
    'SELECT now()',
    'SELECT FROM core.orders o JOIN (SELECT shop_id FROM core.users UNION ALL SELECT shop_id FROM core.order_lines) x USING (shop_id) WHERE o.shop_id = 1',
  ])('%s', async (sql) => {
    expect(await unbound(sql)).toEqual([]);
  });
});

describe('not bound', () => {
  test.each([
    ['SELECT count(*) FROM core.orders WHERE order_id = 2', ['orders']],
    ['SELECT * FROM core.orders WHERE shop_id = $1 OR order_id = 2', ['orders']],
    ['SELECT * FROM core.orders o JOIN core.order_lines l USING (order_id) WHERE o.shop_id = $1', ['l']],
    ['SELECT * FROM core.orders o JOIN core.order_lines l USING (shop_id)', ['o+l']],
    [
      'SELECT * FROM core.orders WHERE order_id IN (SELECT order_id FROM core.order_lines) AND shop_id = 1',
      ['order_lines'],
    ],
    [
      'SELECT * FROM core.orders o LEFT JOIN (SELECT count(*) FROM core.order_lines) l ON true WHERE o.shop_id = 1',
      ['order_lines'],
    ],
    ['SELECT (SELECT count(*) FROM core.orders o) FROM core.shops s WHERE shop_id = 1', ['o']],
    ['WITH gone AS (DELETE FROM core.orders RETURNING order_id) SELECT FROM gone', ['orders']],
    ['DELETE FROM core.orders', ['orders']],
    [
      'WITH p AS (SELECT o.shop_id FROM core.orders o JOIN core.order_lines l USING (order_id)) SELECT FROM p WHERE shop_id = 1',
      ['l'],
    ],
    ['WITH gone AS (DELETE FROM core.orders) SELECT 1', ['orders']],
    ['DELETE FROM core.orders USING core.users u WHERE u.shop_id = 1', ['orders']],
    ['UPDATE core.orders SET views = 1 WHERE order_id = 1', ['orders']],
    ['INSERT INTO core.orders (order_id) SELECT order_id FROM core.order_lines', ['order_lines']],
    ['SELECT 1 UNION SELECT views FROM core.orders', ['orders']],
    [
      'SELECT FROM core.orders o WHERE shop_id = 1 AND EXISTS (SELECT FROM core.users u WHERE u.user_oid = o.buyer_oid)',
      ['u'],
    ],
  ])('%s', async (sql, tables) => {
    expect(await unbound(sql)).toEqual(tables);
  });
});
