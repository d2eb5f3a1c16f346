import { expect, test } from 'vitest';

import { answerJson } from '../../../support/in-process-shop.ts';
import { IS_LONG } from '../../../support/long.ts';
import { daysThatAre, FORCED, openShop } from '../../../support/shop.ts';
import { ageSuspects, held } from '../../support/copy.ts';

/** A shop of 36 orders on six days, of which some were deleted after the copy was made: each of another day. */
async function openDeleted(deleted = 1) {
  const { clock, front, shop, ...ground } = await openShop({ orders: 36, days: 6, seed: 21 });
  const sweep = (request = {}) => ground.sweep({ ...FORCED, ...request });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  const byDay = Map.groupBy(shop.orders(), ({ createdLocal }) => createdLocal.toPlainDate().toString());
  const all = [...byDay.values()].slice(1, 1 + deleted).flatMap((orders) => orders[0]?.orderId ?? []);
  for (const orderId of all) shop.deleteOrder(orderId);
  clock.pass({ minutes: 1 });
  return { ...ground, clock, front, all, gone: all[0] ?? 0, sweep };
}

/** The shop answers so for one order each. */
const FAULTS: readonly (readonly [number, string])[] = [
  [403, '{"message":"no"}'],
  [500, '{"error":"x"}'],
  // Another shape.
  [200, '{"data":1}'],
  // The content of another order.
  [200, '{"ordercontent":[{"oid":"1_a"}],"order_id":1}'],
];

/** Each of the orders is answered in another way. */
function answerUnclearly({ front, all }: Awaited<ReturnType<typeof openDeleted>>): void {
  front.rewrite = (path, answer) => {
    const fault = FAULTS[all.findIndex((id) => path === `orders/${id}`)];
    if (fault !== undefined) answerJson(answer, fault[1], fault[0]);
  };
}

test('unlisted orders with unclear answers keep only their own days unverified, for a day', async () => {
  const story = await openDeleted(FAULTS.length);
  const { client, clock, all, sweep } = story;
  answerUnclearly(story);
  const days: (string | undefined)[] = [];
  for (const id of all) days.push((await held(client, id))?.day);
  expect(days).toHaveLength(FAULTS.length);
  const first = await sweep();
  expect(first).toMatchObject({
    status: 'partial',
    days_verified: first.days_due - FAULTS.length,
    orders_missing: 0,
  });
  const unclear = first.problems.join().matchAll(/gave no clear answer about (\d+) of them/g);
  expect([...unclear].reduce((sum, [, count]) => sum + Number(count), 0)).toBe(FAULTS.length);
  expect(await daysThatAre('open', client)).toEqual(days);
  clock.pass({ hours: 1 });
  await ageSuspects(client, 23);
  expect(await sweep()).toMatchObject({ status: 'partial', orders_missing: 0 });
  // The process's clock is not asked.
  clock.pass({ hours: 48 });
  expect(await sweep()).toMatchObject({ status: 'partial', orders_missing: 0 });
  await ageSuspects(client, 2);
  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: FAULTS.length });
  expect(await daysThatAre('open', client)).toEqual([]);
  clock.pass({ minutes: 6 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  for (const id of all) expect(await held(client, id)).toMatchObject({ deleted_at: expect.any(String) });
});

test('orders accepted as missing are missing, whatever the shop answers', async () => {
  const story = await openDeleted(FAULTS.length);
  answerUnclearly(story);
  expect(await story.sweep({ acceptMissing: true })).toMatchObject({
    status: 'ok',
    orders_missing: FAULTS.length,
  });
  expect(await daysThatAre('open', story.client)).toEqual([]);
});

test('the list of a shop that serves impossible orders is trusted after a day, or at once if accepted', async () => {
  const { front, client, sweep } = await openDeleted();
  front.rewrite = (path, answer) => {
    if (path.startsWith('orders/')) answerJson(answer, { ordercontent: [{ oid: '1_a' }], success: 1 });
  };
  expect(await sweep()).toMatchObject({
    status: 'partial',
    orders_missing: 0,
    content_requests: 1,
  });
  expect(await daysThatAre('open', client)).toHaveLength(1);
  expect(await sweep({ acceptMissing: true })).toMatchObject({
    status: 'ok',
    orders_missing: 1,
  });
});

test('an existing order that lost its lines does not count as gone', async () => {
  const { front, client, gone, sweep } = await openDeleted();
  front.rewrite = (path, answer) => {
    if (path === `orders/${gone}`) answerJson(answer, { ordercontent: [], success: 1 });
  };
  const result = await sweep({ acceptMissing: true });
  expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(result.problems.join()).toContain('still serves its contents');
  expect(await held(client, gone)).toMatchObject({ missing_since: null });
});

const ANSWERS: readonly (readonly [string, number, string])[] = [
  ['a login page', 200, '<html><title>Log in</title></html>'],
  ['404', 404, '{"message":"no such order"}'],
  ['a message', 200, '{"success":0,"message":"Order not found"}'],
  ['an empty content', 200, '{"ordercontent":[],"success":1}'],
  ['403', 403, '{"message":"no"}'],
  ['500', 500, '{}'],
  ['a page of HTML with 404', 404, '<html><title>Not found</title></html>'],
  ['success 0', 200, '{"success":0}'],
];

test('if all contents are answered alike, that proves nothing about an order', async () => {
  const { front, client, gone, sweep } = await openDeleted();
  for (const [what, status, body] of IS_LONG ? ANSWERS : ANSWERS.slice(0, 4)) {
    front.rewrite = (path, answer) => {
      if (path.startsWith('orders/')) answerJson(answer, body, status);
      if (path === 'orders?limit=3' && status === 200) answerJson(answer, body);
    };
    expect(await sweep(), what).toMatchObject({ status: 'partial', orders_missing: 0 });
    expect(await held(client, gone), what).toMatchObject({ missing_since: null });
  }
  front.rewrite = undefined;
  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1 });
});

test('an incomplete list while contents fail briefly loses no order', async () => {
  const { front, client, gone, sweep, clock } = await openDeleted();
  await sweep();
  clock.pass({ minutes: 1 });
  const { rows: live } = await client.query<{ id: string }>(
    'SELECT order_id::text AS id FROM tested.orders WHERE missing_since IS NULL ORDER BY order_id LIMIT 3',
  );
  const hidden = new Set(live.map(({ id }) => Number(id)));
  front.rewrite = (path, answer) => {
    if (path.startsWith('orders/')) answerJson(answer, '<html><title>Shop</title></html>');
    if (!path.startsWith('orders?')) return;
    const page = JSON.parse(answer.body.toString()) as { orders: { order_id: number }[] };
    const orders = page.orders.filter(({ order_id }) => !hidden.has(order_id));
    answerJson(answer, { orders, total: orders.length });
  };
  expect(await sweep()).toMatchObject({ status: 'partial', orders_missing: 0 });
  const { rows: marked } = await client.query<{ id: string }>(
    'SELECT order_id::text AS id FROM tested.orders WHERE missing_since IS NOT NULL',
  );
  expect(marked).toEqual([{ id: String(gone) }]);
});
