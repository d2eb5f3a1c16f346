/** What `backfill` estimates before it begins, of a range, of the rest, and of a shop that counts something else. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { jsonLines } from '../support/json-lines.ts';
import { openShop, type ShopOfCommands } from '../support/shop-of-commands.ts';

const ORDERS = 60;
let opened: ShopOfCommands;
beforeAll(async () => {
  opened = await openShop({ orders: ORDERS, days: 6, seed: 4 }, { FRESHNESS: '*:7d' });
});
afterAll(() => opened[Symbol.asyncDispose]());

async function backfill(options = '', env = {}): Promise<unknown> {
  const { code, stdout, stderr } = await opened.run(`backfill --json ${options}`.trim(), env);
  expect(code, stderr).toBe(0);
  return jsonLines(stdout)[0];
}

test('a load is estimated for what is due: a range, then the rest, then nothing', async () => {
  const { simulator } = opened;
  // In the last minute of its day, which counts as well.
  const [middle] = simulator.shop.orders().slice(ORDERS / 2);
  if (middle === undefined) throw new Error('the shop has no orders');
  const lateLocal = middle.createdLocal.toPlainDate().toPlainDateTime('23:59:40');
  simulator.shop.moveOrder(middle.orderId, lateLocal);
  const days = simulator.shop.orders().map(({ createdLocal }) => createdLocal.toPlainDate().toString());
  const day = lateLocal.toPlainDate().toString();
  const inRange = days.filter((other) => other === day).length;
  const ofDay = await backfill(`--from ${day} --to ${day}`);
  expect(ofDay).toMatchObject({ orders_new: inRange, estimate: { orders: inRange, bytes: inRange * 4300 } });
  const rest = ORDERS - inRange;
  const requests = Math.ceil(rest * 1.3) + 2;
  expect(await backfill()).toMatchObject({ orders_new: rest, estimate: { orders: rest, requests } });
  const nothing = { orders: 0, requests: 2, bytes: 0 };
  expect(await backfill('--force')).toMatchObject({ orders_new: 0, estimate: nothing });
  expect(await backfill()).toMatchObject({ days_due: 0, estimate: null });
});

test('loaded orders without a date, or dated in the future, do not count as left to load', async () => {
  const ahead = Temporal.Now.plainDateTimeISO('Europe/Berlin').add({ days: 3 });
  for (const order of [{ createdText: '' }, { createdText: '' }, { createdLocal: ahead }])
    opened.simulator.shop.insertOrder(order);
  await opened.run('verify --repair');
  expect(await backfill('--force')).toMatchObject({ orders_new: 0, estimate: { orders: 0 } });
});

test('a total with another meaning gives no estimate', async () => {
  await using odd = await startSimulator({ orders: 20, days: 4, dialect: { total: 'page' } });
  expect(await backfill('', { SHOP_URL: odd.url, SHOP_KEY: 'odd' })).toMatchObject({
    orders_new: 20,
    estimate: null,
  });
});
