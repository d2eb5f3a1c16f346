/** Asks a shop for its list and each content with ky, 16 at once, and does nothing with the answers. */
import ky from 'ky';
import pLimit from 'p-limit';

const { SHOP_URL = '', SHOP_LOGIN, SHOP_API_KEY } = process.env;
const authorization = `Basic ${Buffer.from(`${SHOP_LOGIN}:${SHOP_API_KEY}`).toString('base64')}`;
const client = ky.create({ headers: { authorization, 'content-type': 'application/json' }, retry: 0 });
const limit = pLimit(16);
const LIMIT = 500;
const contents: Promise<unknown>[] = [];
for (let start = 0; ; start += LIMIT) {
  const list = client.get(`${SHOP_URL}/adm/api/orders?start=${start}&limit=${LIMIT}`);
  const { orders } = await list.json<{ orders: { order_id: string }[] }>();
  for (const { order_id: id } of orders) {
    contents.push(limit(() => client.get(`${SHOP_URL}/adm/api/orders/${id}`).json()));
  }
  if (orders.length < LIMIT) break;
}
await Promise.all(contents);
