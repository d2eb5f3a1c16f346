import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Simulator } from '../../../../src/simulator/server.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { FORCED } from '../../../support/shop.ts';
import type { Means } from '../../../support/sweep.ts';
import { openCopy } from '../../support/copy.ts';
import { hiding } from '../../support/hiding.ts';

const EMPTY_DAY = Temporal.PlainDate.from('2026-02-01');
/** It holds no orders: what such a sweep asks for is not asked for because of it. */
const NO_DAY: SweepRequest = { kind: 'backfill', from: EMPTY_DAY, to: EMPTY_DAY };
/** Tries of one request before it is given up. */
const TRIES = 5;

async function linesOf(client: Client, orderId: number) {
  const { rows } = await client.query<{ state: string; attempts: number; lines: number; status: string }>(
    `SELECT lines_state AS state, lines_attempts AS attempts, status_code AS status,
       (SELECT count(*)::int FROM tested.order_lines l WHERE l.order_id = o.order_id) AS lines
     FROM tested.orders o WHERE order_id = $1`,
    [orderId],
  );
  return rows[0];
}

/** An order with several lines. */
function basket({ shop }: Simulator) {
  const order = shop.orders().find(({ lines, status }) => lines.length >= 3 && !'CFQRK'.includes(status));
  if (order === undefined) throw new Error('the shop has no order with three lines that is open');
  return order;
}

test('if lines could not be fetched, the new header is stored with the old lines, and the run is partial', async () => {
  const { client, differences, shop, simulator, sweep } = await openCopy(40);
  const { orderId, lines } = basket(simulator);
  const { orderId: added } = shop.insertOrder();
  shop.editOrder(orderId, { status: 'C', lines: lines.slice(1) });
  simulator.faults.failNext(2 * TRIES, 'http-500', { route: 'order' });
  const result = await sweep();
  expect(simulator.faults.pending()).toBe(0);
  expect(result).toMatchObject({ status: 'partial', orders_new: 1, orders_changed: 1 });
  expect(result.days_verified, 'the days are verified all the same').toBe(result.days_due);
  expect(await linesOf(client, orderId)).toEqual({
    state: 'failed',
    attempts: 1,
    lines: lines.length,
    status: 'C',
  });
  expect(await linesOf(client, added)).toMatchObject({ state: 'failed', attempts: 1, lines: 0 });
  expect(await differences({ onlyFetchedLines: true })).toEqual([]);
});

test('failed lines are retried after one, two and four minutes, even if no day is due', async () => {
  const { client, clock, differences, shop, simulator, sweep } = await openCopy(30);
  const { orderId } = basket(simulator);
  shop.editOrder(orderId, { lines: [] });
  simulator.faults.failNext(TRIES, 'message-200', { route: 'order' });
  expect(await sweep()).toMatchObject({ status: 'partial' });

  const asked = async (seconds: number, request: SweepRequest = NO_DAY) => {
    clock.pass({ seconds });
    simulator.requests.reset();
    const { status } = await sweep(request);
    return { requests: simulator.requests.count('order'), status };
  };
  expect(await asked(59)).toEqual({ requests: 0, status: 'ok' });
  expect(await asked(0, FORCED)).toEqual({ requests: 0, status: 'ok' });
  simulator.faults.failNext(TRIES, 'truncated-json', { route: 'order' });
  expect(await asked(1)).toEqual({ requests: TRIES, status: 'partial' });
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'failed', attempts: 2 });
  expect(await asked(119)).toEqual({ requests: 0, status: 'ok' });
  expect(await asked(0, FORCED)).toEqual({ requests: 0, status: 'ok' });
  simulator.faults.failNext(TRIES, 'reset', { route: 'order' });
  expect(await asked(1)).toEqual({ requests: TRIES, status: 'partial' });
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'failed', attempts: 3 });
  expect(await asked(239)).toEqual({ requests: 0, status: 'ok' });
  expect(await asked(1)).toEqual({ requests: 1, status: 'ok' });
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'ok', attempts: 0, lines: 0 });
  expect(await differences()).toEqual([]);
});

test('doubtful lines after failures are retried at once, as if nothing had failed, and vice versa', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(150);
  const { orderId, lines } = basket(simulator);
  shop.editOrder(orderId, { lines: [...lines, ...lines.slice(0, 1)] });
  const asked = async (given?: () => void) => {
    given?.();
    clock.pass({ minutes: 61 });
    simulator.requests.reset();
    await sweep(NO_DAY);
    const { state, attempts } = (await linesOf(client, orderId)) ?? {};
    return [simulator.requests.count('order'), state, attempts];
  };
  const fail = () => simulator.faults.failNext(TRIES, 'truncated-json', { route: 'order' });
  fail();
  await sweep();
  for (let count = 0; count < 4; count++) await asked(fail);
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'failed', attempts: 5 });
  // Once for what had failed, and once more for what is doubtful.
  const cut = () => shop.setDialect({ contentLines: 1 });
  expect(await asked(cut)).toEqual([2, 'doubtful', 1]);
  expect(await asked()).toEqual([1, 'doubtful', 2]);
  expect(await asked(fail)).toEqual([TRIES, 'failed', 1]);
  shop.setDialect({ contentLines: 0 });
  expect(await asked()).toEqual([1, 'ok', 0]);
});

test('doubtful lines of an order that changed again are retried at once, as if they were new', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(60);
  const { orderId, lines } = basket(simulator);
  shop.setDialect({ contentLines: 1 });
  for (const content of [lines.slice(1), [...lines, ...lines]]) {
    shop.editOrder(orderId, { lines: content });
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ orders_changed: 1, content_requests: 2 });
    expect(await linesOf(client, orderId)).toMatchObject({ state: 'doubtful', attempts: 1 });
  }
});

test('lines of which one cannot be read are not retried, since the others contradict nothing', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(60);
  const { orderId } = basket(simulator);
  shop.editOrder(orderId, { status: 'S' });
  const line = { oid: '1_a', count: 1, price: '5.00', total: '5.00' };
  shop.setRawContent(orderId, ['not a line', line]);
  expect(await sweep()).toMatchObject({ new_rejections: 1, content_requests: 1 });
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'ok', lines: 1 });
  clock.pass({ minutes: 61 });
  expect(await sweep(NO_DAY)).toMatchObject({ content_requests: 0 });
  // Were all of them read, they would be doubtful.
  shop.editOrder(orderId, { status: 'C' });
  shop.setRawContent(orderId, [line]);
  expect(await sweep()).toMatchObject({ orders_with_doubtful_lines: 1 });
});

test('lines that are right after a retry do not end the pauses of those that stay doubtful', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(60);
  const { orderId, lines } = basket(simulator);
  const wrong = shop.orders().find((order) => order.orderId !== orderId && order.lines.length > 0);
  shop.editOrder(wrong?.orderId ?? 0, { itemCount: 77 });
  shop.editOrder(orderId, { lines: lines.toReversed() });
  await sweep(FORCED, {}, { through: hiding(new Set([orderId]), 'content') });
  expect(await linesOf(client, wrong?.orderId ?? 0)).toMatchObject({ state: 'doubtful', attempts: 1 });

  clock.pass({ minutes: 1 });
  const asked: string[] = [];
  const cutOnce: NonNullable<Means['through']> = (api) => ({
    ...api,
    orderContent(id, signal) {
      shop.setDialect({ contentLines: asked.includes(id) ? 0 : 1 });
      asked.push(id);
      return api.orderContent(id, signal);
    },
  });
  expect(await sweep(NO_DAY, {}, { through: cutOnce })).toMatchObject({
    orders_with_doubtful_lines: 1,
  });
  const times = (id: number | undefined) => asked.filter((each) => each === String(id)).length;
  expect([times(orderId), times(wrong?.orderId)]).toEqual([2, 1]);
  expect(await linesOf(client, wrong?.orderId ?? 0)).toMatchObject({ state: 'doubtful', attempts: 2 });
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'ok', lines: lines.length });
});

test('if one of twenty retried lines improves, all due ones are retried, even if most stay as they are', async () => {
  const { clock, rows, shop, sweep } = await openCopy(300);
  const cut = shop
    .orders()
    .filter(({ lines }) => lines.length > 2)
    .slice(0, 8);
  const wrong = shop
    .orders()
    .filter((order) => order.lines.length > 0 && !cut.includes(order))
    .slice(0, 20);
  shop.setDialect({ contentLines: 2 });
  for (const { orderId, status } of cut) shop.editOrder(orderId, { status: status === 'C' ? 'F' : 'C' });
  for (const { orderId } of wrong) shop.editOrder(orderId, { itemCount: 77 });
  const doubtful = async () => {
    return (await rows("SELECT FROM tested.orders WHERE lines_state = 'doubtful'")).length;
  };
  expect(await sweep(), 'of all, twenty once more').toMatchObject({ content_requests: 28 + 20 });
  expect(await doubtful()).toBe(cut.length + wrong.length);
  shop.setDialect({ contentLines: 0 });
  clock.pass({ hours: 1 });
  expect(await sweep(NO_DAY)).toMatchObject({ content_requests: 28 });
  expect(await doubtful()).toBe(wrong.length);
  clock.pass({ hours: 8 });
  expect(await sweep(NO_DAY), 'nothing is better').toMatchObject({
    content_requests: 20,
  });
});

test('an order that is listed without content is stored, with its lines failed', async () => {
  const { client, clock, differences, shop, simulator, sweep } = await openCopy(30);
  const { orderId, lines } = basket(simulator);
  shop.editOrder(orderId, { status: 'S' });
  const result = await sweep(FORCED, {}, { through: hiding(new Set([orderId]), 'content') });
  expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(result.problems.join()).toContain('a listed order has no content');
  expect(await linesOf(client, orderId)).toMatchObject({
    state: 'failed',
    lines: lines.length,
    status: 'S',
  });
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test('lines follow the order: one removed, two that changed places, none left, and back again', async () => {
  const { client, clock, differences, rows, shop, simulator, sweep } = await openCopy(40);
  const { orderId, lines } = basket(simulator);
  const { rows: before } = await client.query('SELECT * FROM tested.order_lines WHERE order_id <> $1', [
    orderId,
  ]);
  const contents = [lines.slice(1), lines.toReversed(), [], lines, lines.slice(0, -1), [...lines, ...lines]];
  for (const content of contents) {
    shop.editOrder(orderId, { lines: content });
    clock.pass({ minutes: 1 });
    simulator.requests.reset();
    expect(await sweep()).toMatchObject({ status: 'ok', orders_changed: 1, content_requests: 1 });
    expect(await linesOf(client, orderId)).toMatchObject({ state: 'ok', lines: content.length });
    expect(await differences()).toEqual([]);
  }
  expect(await rows('SELECT * FROM tested.order_lines WHERE order_id <> $1', orderId)).toEqual(before);
});

test('lines of open orders are refreshed after a week without a change in the list; those of closed orders are not', async () => {
  const { client, clock, shop, sweep } = await openCopy(60, 25);
  const orders = shop.orders();
  const open = orders.filter(({ status }) => !'CFQRK'.includes(status) || status === '');
  const final = orders.filter(({ status }) => status !== '' && 'CFQRK'.includes(status));
  expect(Math.min(open.length, final.length)).toBeGreaterThan(5);
  for (const { orderId } of orders) shop.setRawContent(orderId, [{ oid: '1_new' }]);

  clock.pass({ hours: 7 * 24 - 2 });
  expect(await sweep()).toMatchObject({ status: 'ok', content_requests: 0 });
  clock.pass({ hours: 2 });
  const result = await sweep();
  expect(result).toMatchObject({ status: 'ok', orders_new: 0, orders_changed: 0 });
  expect(result.content_requests).toBe(open.length);
  const { rows } = await client.query<{ order_id: string }>(
    `SELECT DISTINCT order_id::text FROM tested.order_lines WHERE line_oid <> '1_new' ORDER BY order_id`,
  );
  expect(rows.map((row) => Number(row.order_id)).toSorted((a, b) => a - b)).toEqual(
    final.map(({ orderId }) => orderId).toSorted((a, b) => a - b),
  );
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok', content_requests: 0 });
});

test('lines of an order that is gone are not retried', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(30);
  const { orderId } = basket(simulator);
  shop.editOrder(orderId, { lines: [] });
  simulator.faults.failNext(TRIES, 'message-200', { route: 'order' });
  expect(await sweep()).toMatchObject({ status: 'partial' });
  expect(await linesOf(client, orderId)).toMatchObject({ state: 'failed' });
  shop.deleteOrder(orderId);
  await sweep();
  clock.pass({ minutes: 10 });
  await sweep();
  simulator.requests.reset();
  clock.pass({ hours: 10 });
  expect(await sweep(NO_DAY)).toMatchObject({ status: 'ok', orders_without_lines: 0 });
  expect(simulator.requests.count('order')).toBe(0);
});
