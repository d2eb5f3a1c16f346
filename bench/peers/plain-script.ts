/**
 * What an afternoon's script does: list by offset, contents by p-limit, multi-row upserts into three tables. It proves
 * nothing, resumes nothing and misses what shifts between two pages.
 */
import ky from 'ky';
import pLimit from 'p-limit';
import { Pool } from 'pg';

type Line = { oid?: string; price?: string; count?: string; name?: string; price_total?: string };
type Order = { order_id: string; status?: string; summ?: string; created?: string; master_oid?: number };

const { SHOP_URL = '', SHOP_LOGIN, SHOP_API_KEY, DATABASE_URL } = process.env;
const authorization = `Basic ${Buffer.from(`${SHOP_LOGIN}:${SHOP_API_KEY}`).toString('base64')}`;
const client = ky.create({ headers: { authorization, 'content-type': 'application/json' }, retry: 2 });
const pool = new Pool({ connectionString: DATABASE_URL });
const limit = pLimit(16);
const LIMIT = 500;
const CHUNK = 500;
/** Of guests, who are no users. */
const GUEST = 6;

await pool.query(`
  CREATE TABLE IF NOT EXISTS orders (order_id bigint PRIMARY KEY, status text, sum numeric, created text, buyer text, raw jsonb);
  CREATE TABLE IF NOT EXISTS lines (order_id bigint, line_no int, name text, price text, quantity text, raw jsonb, PRIMARY KEY (order_id, line_no));
  CREATE TABLE IF NOT EXISTS users (user_id text PRIMARY KEY, raw jsonb)`);

async function upsert(
  table: string,
  columns: readonly string[],
  key: string,
  rows: readonly unknown[][],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(
    (row, index) => `(${row.map((_, at) => `$${index * row.length + at + 1}`).join(',')})`,
  );
  const set = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  await pool.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(',')} ON CONFLICT (${key}) DO UPDATE SET ${set}`,
    rows.flat(),
  );
}

async function loadChunk(orders: readonly Order[]): Promise<void> {
  const contents = await Promise.all(
    orders.map(({ order_id: id }) =>
      limit(async () => {
        const response = await client.get(`${SHOP_URL}/adm/api/orders/${id}`, { throwHttpErrors: false });
        // Deleted since it was listed.
        if (response.status === 404) return { ordercontent: [] };
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
        return response.json<{ ordercontent: Line[] }>();
      }),
    ),
  );
  const head = orders.map((order) => [
    order.order_id,
    order.status,
    order.summ || null,
    order.created,
    order.master_oid,
    JSON.stringify(order),
  ]);
  await upsert('orders', ['order_id', 'status', 'sum', 'created', 'buyer', 'raw'], 'order_id', head);
  const lines = contents.flatMap(({ ordercontent }, index) =>
    ordercontent.map((line, at) => [
      orders[index]?.order_id,
      at,
      line.name,
      line.price,
      line.count,
      JSON.stringify(line),
    ]),
  );
  await upsert(
    'lines',
    ['order_id', 'line_no', 'name', 'price', 'quantity', 'raw'],
    'order_id, line_no',
    lines,
  );
}

const buyers = new Set<number>();
const loading: Promise<void>[] = [];
for (let start = 0; ; start += LIMIT) {
  const url = `${SHOP_URL}/adm/api/orders?start=${start}&limit=${LIMIT}`;
  const { orders } = await client.get(url).json<{ orders: Order[] }>();
  for (const { master_oid: buyer } of orders) if (buyer && buyer !== GUEST) buyers.add(buyer);
  for (let at = 0; at < orders.length; at += CHUNK) loading.push(loadChunk(orders.slice(at, at + CHUNK)));
  if (orders.length < LIMIT) break;
}
const users = await Promise.all(
  [...buyers].map((id) =>
    limit(async () => [id, await client.get(`${SHOP_URL}/adm/api/users/${id}`).text()]),
  ),
);
await Promise.all(loading);
await upsert('users', ['user_id', 'raw'], 'user_id', users);
await pool.end();
