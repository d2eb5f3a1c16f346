/**
 * Asks a shop for its list and each content with ky, 16 at once, and does nothing with the answers: what can be had of
 * the shop, of the client and of the machine's timers. Prints what it took as JSON.
 */
import ky from 'ky';
import pLimit from 'p-limit';

type Page = { readonly orders: readonly { readonly order_id: string }[] };

const { SHOP_URL = '', SHOP_LOGIN, SHOP_API_KEY } = process.env;
const authorization = `Basic ${Buffer.from(`${SHOP_LOGIN}:${SHOP_API_KEY}`).toString('base64')}`;
const client = ky.create({ headers: { authorization, 'content-type': 'application/json' }, retry: 0 });
const limit = pLimit(16);
const LIMIT = 500;
let requests = 0;

function ask<Answer>(path: string): Promise<Answer> {
  requests += 1;
  return limit(() => client.get(`${SHOP_URL}/adm/api/${path}`).json<Answer>());
}

const pageFrom = (start: number) => ask<Page>(`orders?start=${start}&limit=${LIMIT}`);

const began = performance.now();
const contents: Promise<unknown>[] = [];
let next = pageFrom(0);
for (let start = LIMIT; ; start += LIMIT) {
  const { orders } = await next;
  // Before the contents of this page, so that the slots stay full while it comes.
  if (orders.length === LIMIT) next = pageFrom(start);
  for (const { order_id: id } of orders) contents.push(ask(`orders/${id}`));
  if (orders.length < LIMIT) break;
}
await Promise.all(contents);
console.log(JSON.stringify({ requests, ms: performance.now() - began }));
