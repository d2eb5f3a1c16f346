import { parse } from 'libpg-query';
import { expect, test } from 'vitest';

import { statementsIn } from './sql-nodes.ts';
import { findUnbound } from './shop-scope.ts';

const TABLES = new Set(['core.shops', 'core.orders', 'core.order_lines', 'core.users']);

async function unbound(sql: string): Promise<readonly string[]> {
  const found = statementsIn(await parse(sql)).flatMap((statement) => findUnbound(statement, TABLES).unbound);
  return found.map((tables) => tables.join('+'));
}

test.each([
  'SELECT * FROM core.orders o JOIN core.order_lines l USING (shop_id, order_id) WHERE o.shop_id = $1',
  'SELECT * FROM core.orders o, core.order_lines l WHERE o.shop_id = $1 AND (l.shop_id, l.order_id) = (o.shop_id, o.order_id)',
  'SELECT * FROM core.orders WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = $1)',
  'SELECT (SELECT count(*) FROM core.orders o WHERE o.shop_id = s.shop_id) FROM core.shops s WHERE shop_id = 1',
  'WITH mine AS (SELECT * FROM core.orders WHERE shop_id = $1) DELETE FROM core.order_lines l USING mine WHERE l.shop_id = mine.shop_id',
  'UPDATE core.orders o SET views = 1 FROM json_to_recordset($1) AS given(shop_id integer) WHERE o.shop_id = given.shop_id',
  'INSERT INTO core.orders (shop_id) SELECT shop_id FROM core.users WHERE shop_id = $1 ON CONFLICT DO NOTHING',
  'SELECT sum(views) OVER w, min(views) OVER (w ORDER BY views) FROM core.orders WHERE shop_id IN (1, 2) WINDOW w AS (PARTITION BY shop_id)',
  'SELECT o.* FROM core.shops s CROSS JOIN LATERAL (SELECT * FROM core.orders WHERE shop_id = s.shop_id) o JOIN core.users u ON u.shop_id = o.shop_id WHERE s.shop_id IN (1, 2)',
  'SELECT FROM core.orders o JOIN (SELECT shop_id FROM core.users UNION ALL SELECT shop_id FROM core.order_lines) x USING (shop_id) WHERE o.shop_id = 1',
])('bound to a shop: %s', async (sql) => {
  expect(await unbound(sql)).toEqual([]);
});

test.each([
  ['SELECT * FROM core.orders WHERE shop_id = $1 OR order_id = 2', ['orders']],
  ['SELECT * FROM core.orders o JOIN core.order_lines l USING (order_id) WHERE o.shop_id = $1', ['l']],
  ['SELECT * FROM core.orders o JOIN core.order_lines l USING (shop_id)', ['o+l']],
  ['SELECT (SELECT count(*) FROM core.orders o) FROM core.shops s WHERE shop_id = 1', ['o']],
  ['WITH gone AS (DELETE FROM core.orders RETURNING order_id) SELECT FROM gone', ['orders']],
  ['UPDATE core.orders SET views = 1 WHERE order_id = 1', ['orders']],
  ['INSERT INTO core.orders (order_id) SELECT order_id FROM core.order_lines', ['order_lines']],
  ['SELECT 1 UNION SELECT views FROM core.orders', ['orders']],
  ['SELECT order_id, max(shop_id) FROM core.orders WHERE shop_id IN (1, 2) GROUP BY order_id', ['GROUP BY']],
  [
    'SELECT DISTINCT ON (order_id) order_id, shop_id FROM core.orders WHERE shop_id = ANY ($1)',
    ['DISTINCT ON'],
  ],
  [
    'SELECT row_number() OVER (PARTITION BY order_id) FROM core.orders WHERE shop_id IN (1, 2)',
    ['PARTITION BY'],
  ],
  [
    'SELECT FROM core.orders o WHERE shop_id = 1 AND EXISTS (SELECT FROM core.users u WHERE u.user_oid = o.buyer_oid)',
    ['u'],
  ],
])('not bound: %s', async (sql, tables) => {
  expect(await unbound(sql)).toEqual(tables);
});
