import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';

import type { Simulator } from '../../src/simulator/server.ts';
import {
  fetchedGroup,
  fetchedOrder,
  fetchedOrderWithLines,
  fetchedUser,
} from '../support/documents/fetch.ts';
import { jsonLines } from '../support/json-lines.ts';
import { fileShop } from '../support/shop-of-commands.ts';

const opened = fileShop({ orders: 120, days: 12, seed: 4 });
let simulator: Simulator;
beforeAll(async () => {
  simulator = opened.simulator;
  await opened.run('backfill');
});

const run = (...args: readonly string[]) => opened.run(args);
const print = async <Schema extends z.ZodType>(schema: Schema, ...args: readonly string[]) =>
  jsonLines((await run('fetch', ...args, '--json')).stdout).map((each) => schema.parse(each));
const listed = async (...filters: readonly string[]) =>
  (await print(fetchedOrder, 'orders', '--limit', '500', ...filters))
    .map(({ order_id }) => order_id)
    .toSorted();
const ids = (isWanted: (order: ReturnType<Simulator['shop']['orders']>[number]) => boolean) =>
  simulator.shop
    .orders()
    .filter(isWanted)
    .map(({ orderId }) => String(orderId))
    .toSorted();
const stored = async () => {
  const query = `SELECT (SELECT count(*) FROM ops.runs) AS runs, (SELECT max(changed_at) FROM core.orders) AS changed`;
  return (await opened.query(query)).rows;
};

test('fetch orders sends every filter of the API and stores nothing', async () => {
  const before = await stored();
  const [any] = simulator.shop.orders().filter(({ email, buyerOid }) => email !== '' && buyerOid !== 6);
  if (any === undefined) throw new Error('the shop has no such order');
  const part = any.email.slice(0, 6);
  const day = any.createdLocal.toPlainDate().toString();
  const [shown] = await print(fetchedOrder, 'orders', '--email', any.email);
  const sum = shown?.order_sum ?? '';
  const product = any.lines[0]?.productOid;
  expect(await listed()).toEqual(ids(() => true));
  expect(await listed('--status', any.status)).toEqual(ids(({ status }) => status === any.status));
  expect(await listed('--pay-status', 'FP')).toEqual(ids(({ payStatus }) => payStatus === 'FP'));
  expect(await listed('--email', part)).toEqual(ids(({ email }) => email.includes(part)));
  expect(await listed('--buyer', String(any.buyerOid))).toEqual(
    ids(({ buyerOid }) => buyerOid === any.buyerOid),
  );
  expect(await listed('--product', String(product))).toEqual(
    ids(({ lines }) => lines.some(({ productOid }) => productOid === product)),
  );
  expect(await listed('--from', day, '--to', day)).toEqual(
    ids(({ createdLocal }) => createdLocal.toPlainDate().toString() === day),
  );
  const ofSum = await listed('--sum-from', sum, '--sum-to', sum);
  expect(ofSum).toContain(shown?.order_id);
  for (const filter of [
    ['--name', any.fio.slice(0, 5)],
    ['--phone', any.phone.slice(0, 5)],
    ['--address', any.address.slice(0, 5)],
  ]) {
    const found = await listed(...filter);
    expect(found, filter.join(' ')).toContain(String(any.orderId));
    expect(found.length).toBeLessThan(120);
  }
  expect((await listed('--color', 'red')).length).toBeLessThan(120);
  expect(await stored()).toEqual(before);
});

test('a truncated list says so, and persons are shown only on request', async () => {
  const { stdout } = await run('fetch', 'orders', '--limit', '3');
  expect(stdout).toMatch(/These are the first 3; --limit shows more\.\n$/);
  const names = simulator.shop.orders().map(({ fio }) => fio);
  for (const limit of ['10x', '1.5', '0', '1e9'])
    expect(await run('fetch', 'orders', '--limit', limit), limit).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--limit ${limit} must be a whole number from 1 to`),
    });
  const all = await run('fetch', 'orders', '--limit', '500', '--json');
  expect(names.filter((name) => name !== '' && all.stdout.includes(name))).toEqual([]);
  const withPersons = await run('fetch', 'orders', '--limit', '500', '--json', '--pii');
  expect(names.filter((name) => withPersons.stdout.includes(name)).length).toBeGreaterThan(100);
});

test('a changed order is shown with the stored values, and sync --order reads it again', async () => {
  const [order] = simulator.shop.orders().filter(({ status, lines }) => status !== 'F' && lines.length > 0);
  const id = String(order?.orderId);
  const [same] = await print(fetchedOrderWithLines, 'order', id);
  expect(same).toMatchObject({ is_stored: true, differences: [], order: { order_id: id } });
  const before = order?.status;
  simulator.shop.editOrder(Number(id), { status: 'F' });
  const [other] = await print(fetchedOrderWithLines, 'order', id);
  expect(other?.differences).toContainEqual({
    line_no: 0,
    column_name: 'status_code',
    shop: 'F',
    warehouse: before,
  });
  expect((await run('fetch', 'order', id)).stdout).toMatch(
    /The warehouse differs:\n.*\n(?:.*\n)*order {2}status_code/,
  );
  simulator.requests.reset();
  const { stdout, code } = await run('sync', '--order', id);
  expect([code, stdout]).toEqual([0, 'Shop default: 1 order read again with its lines, 1 changed.\n']);
  expect([simulator.requests.count('orders'), simulator.requests.count('order')]).toEqual([1, 1]);
  expect((await print(fetchedOrderWithLines, 'order', id))[0]?.differences).toEqual([]);
  expect((await run('status')).stdout).not.toContain('Warning');
});

test('an order that does not exist, or is not stored, is reported', async () => {
  const { orderId } = simulator.shop.insertOrder({});
  const unknown = await run('sync', '--order', String(orderId), '5');
  expect(unknown.code).toBe(3);
  expect(unknown.stdout).toContain('Shop default: 0 orders read again with their lines, 0 changed.');
  expect(unknown.stdout).toContain('Not read: the shop has no order 5.');
  expect(unknown.stdout).toMatch(
    new RegExp(`order ${orderId} is not in the warehouse; order-sync verify --repair`),
  );
  expect((await print(fetchedOrderWithLines, 'order', String(orderId)))[0]).toMatchObject({
    is_stored: false,
  });
  expect(await run('fetch', 'order', '5')).toMatchObject({
    code: 1,
    stdout: 'The shop has no such order.\n',
  });
  expect(await run('fetch', 'order', '5', '--json')).toMatchObject({ code: 1 });
  const none = { is_stored: false, order: null, lines: null, differences: [] };
  expect(await print(fetchedOrderWithLines, 'order', '5')).toEqual([{ order_id: '5', ...none }]);
  expect((await run('sync', '--order', 'abc')).stderr).toContain('rder abc must be a number');
  expect((await run('fetch', 'orders', '--sum-from', 'much')).stderr).toContain('must be an amount');
});

test('while the list fails, fetching an order ends in time', async () => {
  const [order] = simulator.shop.orders();
  simulator.faults.failNext(Infinity, 'http-500', { route: 'orders' });
  const began = performance.now();
  const { code, stderr } = await run('fetch', 'order', String(order?.orderId));
  simulator.faults.clear();
  expect(performance.now() - began).toBeLessThan(30_000);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'GET /orders: the shop has not answered for 10 s (last: the shop answered HTTP 500). ' +
      'Run the command again when the shop is back up.\n',
  });
});

test('fetch shows a user and the groups', async () => {
  const [user] = simulator.shop.users();
  const [shown] = await print(fetchedUser, 'user', String(user?.oid));
  expect(shown).toMatchObject({ user_oid: String(user?.oid) });
  expect(shown).not.toHaveProperty('email');
  const [withPerson] = await print(fetchedUser, 'user', String(user?.oid), '--pii');
  expect(withPerson).toHaveProperty('email');
  const top = await print(fetchedGroup, 'groups');
  expect(top.length).toBeGreaterThan(0);
  const below = await print(fetchedGroup, 'groups', '--parent', top[0]?.group_oid ?? '');
  expect(below.every(({ parent_oid }) => parent_oid === top[0]?.group_oid)).toBe(true);
});

test('what a buyer typed moves no cursor and breaks no line', async () => {
  const [order] = simulator.shop.orders();
  const id = order?.orderId ?? 0;
  simulator.shop.setRaw(id, { delivery: 'a\u001B[2Jb\nc' });
  const { code, stdout } = await run('fetch', 'order', String(id));
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('a\\u001b[2Jb\\nc') });
  expect(stdout).not.toContain('\u001B');
});

test('an order that is stored without its person is not compared, though it changed', async () => {
  const order = simulator.shop.orders().find(({ status, email }) => status !== 'F' && email !== '');
  const id = String(order?.orderId);
  await run('forget', '--shop', 'default', '--email', order?.email ?? '');
  simulator.shop.editOrder(Number(id), { status: 'F' });
  const { stdout } = await run('fetch', 'order', id);
  expect(stdout).toMatch(/\nIt is stored without its person, and not compared\.\n$/);
  expect(await print(fetchedOrderWithLines, 'order', id)).toMatchObject([
    { is_stored: true, order: { status_code: 'F' }, differences: [] },
  ]);
});

test('fetch without a subcommand lists the subcommands', async () => {
  const outcome = await run('fetch');
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['orders', 'order', 'user', 'groups'])
    expect(outcome.stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  expect((await run('fetch', 'everything')).code).toBe(2);
});
