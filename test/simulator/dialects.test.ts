import { expect, test } from 'vitest';

import { type Dialect, DIALECT_VALUES, readSwitch } from '../../src/simulator/shop/dialect.ts';
import { makeSimulator } from '../../src/simulator/server.ts';
import { HEADERS, NOW } from './client.ts';

const DATES = 'date_from=10-03-2026%2012:00:30&date_to=12-03-2026%2012:00:30';
const PATHS = [
  '/orders',
  '/orders?start=15&limit=40',
  '/orders?limit=30&start=290',
  '/orders?limit=5&start=400',
  '/orders?limit=7&status=C',
  '/orders?limit=500&status=',
  '/orders?status=none',
  `/orders?limit=50&${DATES}`,
  `/orders?limit=50&pay_status=FP&${DATES}`,
  `/orders?${DATES.replace(/&.*/, '')}`,
  `/orders?${DATES.replace(/.*&/, '')}`,
  '/orders?date_from=01-01-2020%2000:00:00&date_to=01-01-2021%2000:00:00',
  '/orders/7',
  '/orders?limit=1',
  '/users/nobody',
];

/** They need more orders, or more requests. */
const TOO_RARE = ['reach=1000', 'falseEmpties=100'];

/** All that a shop of some orders answers, some of which are not where most are: asked many times, since some lie now and then. */
async function answersOf(dialect: Partial<Dialect>): Promise<string> {
  const { app, shop } = makeSimulator({ orders: 300, days: 90, now: NOW, dialect });
  for (const time of ['2026-03-10T12:00:30', '2026-03-10T12:00:10', '2026-03-12T12:00:30'])
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(time) });
  const [gone = 0, edited = 0] = [5, 290].map((at) => shop.orders()[at]?.orderId);
  const lines = shop.orders().flatMap((order) => order.lines);
  shop.editOrder(edited, { lines: lines.slice(0, 5), fio: 'Ёлкина €' });
  shop.refuse('row', gone);
  const user = shop.users().find(({ hasContent }) => !hasContent);
  const ask = async (path: string, headers: Record<string, string>) => {
    const url = `http://shop.test/adm/api${path}`;
    const response = await app.fetch(new Request(url, { headers }), { outgoing: { once: () => undefined } });
    const body = Buffer.from(await response.arrayBuffer()).toString('base64');
    return `${response.status} ${response.headers.get('content-type')} ${body}`;
  };
  const headers = { ...HEADERS, 'Accept-Encoding': 'gzip' };
  const often = Array.from({ length: 30 }, () => '/orders?limit=30');
  const paths = [...PATHS, ...often, `/orders/${edited}`, `/users/${user?.oid}`];
  const texts = [await ask('/orders', {})];
  for (const path of paths) texts.push(await ask(path, headers));
  return texts.join('\n');
}

test('each switch changes what the shop answers, and the same options answer the same', async () => {
  const plain = await answersOf({});
  expect(await answersOf({})).toBe(plain);
  const switches = Object.entries(DIALECT_VALUES)
    .flatMap(([name, [, ...others]]) => others.map((value) => [name, String(value)] as const))
    .filter(([name, value]) => !TOO_RARE.includes(`${name}=${value}`));
  const unseen: string[] = [];
  const seen = new Map([[plain, 'plain']]);
  for (const [name, value] of switches) {
    // Orders beyond a reach are served by nothing else.
    const reach = value === 'served' ? 100 : 0;
    const answers = await answersOf({ reach, ...readSwitch(name, value) });
    const same = seen.get(answers);
    if (same !== undefined) unseen.push(`${name}=${value} answers as ${same}`);
    seen.set(answers, `${name}=${value}`);
  }
  expect(unseen).toEqual([]);
});
