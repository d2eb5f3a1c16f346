import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import { findProblems } from '../../../../src/sync/report/shop-problems.ts';
import { readShopReports } from '../../../../src/sync/report/shop-report.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import type { Db } from '../../../../src/warehouse/db/database.ts';
import { readLineFailures } from '../../../../src/warehouse/orders/due-lines.ts';
import { answerJson } from '../../../support/in-process-shop.ts';
import { FORCED, openShop, PRESENT } from '../../../support/shop.ts';
import { idAt, warnings } from '../../support/copy.ts';

const DEEP = '['.repeat(4000) + ']'.repeat(4000);

const SHOP = { orders: 60, days: 6, seed: 21 };
/** With the group tree. */
const WHOLE = { through: (api: ShopApi) => api };

async function open(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ said: string }>(
    `SELECT resource || ' ' || coalesce(source_key, '-') || ': ' || reason AS said FROM tested.rejections
     WHERE resolved_at IS NULL
     UNION ALL SELECT kind || ' ' || key || ': ' || reason FROM tested.due WHERE reason IS NOT NULL ORDER BY 1`,
  );
  return rows.map(({ said }) => said);
}

async function failedLines(client: Client): Promise<readonly number[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT order_id::text AS id FROM tested.orders WHERE lines_state = 'failed' ORDER BY order_id`,
  );
  return rows.map(({ id }) => Number(id));
}

async function completeAt(db: Db): Promise<string | undefined> {
  return (await readShopReports(db, Temporal.Now.instant()))[0]?.completeSince.toString();
}

test('a fault of one order, user or group is reported for that record, and everything else continues', async () => {
  const { client, clock, db, front, rows, shop, simulator, sweep } = await openShop(SHOP);
  const [refused, deep, other, empty, gone, row] = [3, 10, 20, 30, 40, 50].map((index) =>
    idAt(simulator, index),
  );
  // Of one item, which is enough to miss its line.
  const { lines: [line] = [] } = shop.order(empty ?? 0) ?? {};
  if (line !== undefined) shop.editOrder(empty ?? 0, { lines: [{ ...line, quantity: 1 }] });
  const [secret, odd] = shop
    .users()
    .map(({ oid }) => oid)
    .filter((oid) => isBuyer(simulator, oid));
  front.rewrite = (path, answer) => {
    if (path === `orders/${refused}`) answerJson(answer, { message: 'no' }, 403);
    if (path === `orders/${deep}`) answerJson(answer, `{"ordercontent":${DEEP},"nest":${DEEP}}`);
    if (path === `orders/${other}`)
      answerJson(answer, { ordercontent: [{ oid: '1_a' }], order_id: 1, success: 1 });
    if (path === `orders/${empty}`) answerJson(answer, { ordercontent: [], success: 1 });
    if (path === `orders/${gone}`) answerJson(answer, '{"data":1}');
    if (path === `users/${secret}`) answerJson(answer, { message: 'no' }, 403);
    if (path === `users/${odd}`) answerJson(answer, '{"data":1}');
    if (path.startsWith('orders?')) {
      const text = answer.body
        .toString()
        .replace(`{"order_id":${row},`, `{"order_id":${row},"users":${DEEP},`);
      answer.body = Buffer.from(text);
    }
    if (path.startsWith('groups?parent_oid=0&')) {
      answer.body = Buffer.from(answer.body.toString().replace('[{', '[{"oid":"none"},7,{'));
    }
  };
  const first = await sweep(FORCED, {}, WHOLE);
  expect(first).toMatchObject({ status: 'partial', orders_new: 60, orders_without_lines: 4 });
  expect(first.days_verified).toBe(first.days_due);
  expect(await failedLines(client)).toEqual([refused, other, empty, gone].toSorted((a = 0, b = 0) => a - b));
  const said = (await open(client)).join('\n');
  expect(said).toContain(`lines ${refused}: the shop refuses the content of this order (HTTP 403)`);
  expect(said).toContain(`content ${deep}: an element of the content is not an object`);
  const { rows: shops } = await client.query<{ id: number }>('SELECT shop_id AS id FROM tested.shops');
  const failures = await readLineFailures(
    db,
    shops.map(({ id }) => id),
  );
  const named = failures.flatMap(({ order_ids: ids }) => ids);
  expect(named.toSorted()).toEqual([refused, other, empty, gone].map(String).toSorted());
  expect(said).toMatch(new RegExp(`lines ${other}: .*must be the requested order`));
  expect(said).toContain(
    `lines ${empty}: the shop returned empty content for an order that it lists with items`,
  );
  expect(said).toMatch(new RegExp(`lines ${gone}: .*ordercontent: must be a list`));
  expect(said).toContain(`user ${secret}: the shop refuses this user (HTTP 403)`);
  expect(said).toMatch(new RegExp(`user ${odd}: .*oid: must be an identifier`));
  expect(said.match(/group -: the element has no usable oid/g)).toHaveLength(2);
  expect(await completeAt(db)).toBe(PRESENT.toString());
  expect(await rows('SELECT 1 FROM tested.user_groups WHERE deleted_at IS NULL')).toHaveLength(
    shop.groups().length,
  );

  // They are not asked for at once again, and they are not forgotten.
  clock.pass({ seconds: 30 });
  expect(await sweep(FORCED, {}, WHOLE)).toMatchObject({
    status: 'ok',
    content_requests: 0,
    orders_without_lines: 4,
  });
  clock.pass({ hours: 2 });
  expect(await sweep(FORCED, {}, WHOLE)).toMatchObject({
    status: 'partial',
    new_rejections: 0,
    content_requests: 6,
  });

  front.rewrite = undefined;
  clock.pass({ hours: 26 });
  expect(await sweep(FORCED, {}, WHOLE)).toMatchObject({ status: 'ok', orders_without_lines: 0 });
  expect((await open(client)).filter((each) => !each.startsWith(`content ${deep}`))).toEqual([]);
});

function isBuyer({ shop }: Simulator, oid: number): boolean {
  return shop.orders().some(({ buyerOid }) => buyerOid === oid);
}

test('the orders of a shop that refuses all contents are loaded', async () => {
  const { client, front, sweep } = await openShop(SHOP);
  front.rewrite = (path, answer) => {
    if (path.startsWith('orders/')) answerJson(answer, { message: 'no' }, 403);
  };
  const result = await sweep(FORCED, {}, WHOLE);
  expect(result).toMatchObject({ status: 'partial', orders_without_lines: 60, orders_new: 60 });
  expect(result.days_verified).toBe(result.days_due);
  expect(await failedLines(client)).toHaveLength(60);
  // Not each refusal is looked into.
  expect(front.asked.filter((path) => path === 'orders?limit=1').length).toBeLessThan(8);
});

test('an order that always fails with HTTP 500 is reported once and slows no other down', async () => {
  const { clock, db, front, simulator, ...ground } = await openShop({ orders: 60, days: 6, seed: 21 });
  const bad = idAt(simulator, 20);
  const answer = (status: number) => {
    front.rewrite = (path, answer) => {
      if (path === `orders/${bad}`) answerJson(answer, { message: 'sorry' }, status);
    };
  };
  const { logged, logger } = warnings();
  const sweep = (request: SweepRequest = FORCED) => ground.sweep(request, {}, { logger });
  answer(500);
  const problems = async () => {
    const [report] = await readShopReports(db, clock.now(), 'test');
    const found = report === undefined ? [] : findProblems(report.status, clock.now());
    return found.filter(({ weight }) => weight !== 'task');
  };
  const swept = await sweep();
  const reason = 'GET /orders/ID: the shop answered HTTP 500';
  const sentence = `the lines of order ${bad} could not be fetched: ${reason}`;
  expect(swept).toMatchObject({ status: 'partial', problems: [sentence], new_rejections: 0 });
  // A busy machine may be found slow; the shop is not held to be failing.
  expect(['failures', 'rate']).not.toContain(swept.throttle.limited_by);
  expect(logged).toEqual([[{ shop: 'test', reason: sentence }, 'lines missing']]);
  const named = { kind: 'sync', orders: [String(bad)] } as const;
  expect(await sweep(named)).toMatchObject({ status: 'partial', problems: [sentence] });
  expect((await problems()).map(({ what }) => what)).toEqual([
    `The lines of order ${bad} could not be fetched: ${reason}.`,
  ]);
  // Another reason takes the place of the first.
  answer(400);
  clock.pass({ hours: 1 });
  await sweep();
  expect((await problems()).map(({ what }) => what)).toEqual([expect.stringContaining('HTTP 400')]);
  front.rewrite = undefined;
  clock.pass({ hours: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok', problems: [] });
  expect(await problems()).toEqual([]);
});

/** What PHP shops answer for the content of an order that has no items. */
const NOTHING = [
  '{"ordercontent":null,"success":1}',
  '{"ordercontent":false,"success":1}',
  '{"ordercontent":"","success":1}',
  '{"ordercontent":{},"success":1}',
  '{"ordercontent":null}',
  '{"content":{"ordercontent":false},"success":1}',
  '{"content":null,"success":1}',
  '[]',
  '{}',
  'null',
  'false',
  '""',
  '{"order_id":ID,"message":"Ring twice","ordercontent":[]}',
  '{"order_id":"ID","message":"Ring twice","summ":0,"ordercontent":null}',
  '{"fio":"A","created":"01.02.2026","message":"Ring twice","ordercontent":[]}',
];

test('a content without lines is correct for an order without items, and a failure for one with items', async () => {
  const { front, rows, shop, simulator, sweep } = await openShop({ orders: 60, days: 6, seed: 21 });
  const forms = new Map<number, string>();
  const [empty, sold]: [number[], number[]] = [[], []];
  for (const [at, form] of NOTHING.entries()) {
    const [without, withItems] = [idAt(simulator, 2 * at), idAt(simulator, 2 * at + 1)];
    for (const id of [without, withItems]) forms.set(id, form.replaceAll('ID', String(id)));
    shop.editOrder(without, { lines: [] });
    const [line] = shop.orders().flatMap(({ lines }) => lines);
    if (line !== undefined) shop.editOrder(withItems, { lines: [line] });
    empty.push(without);
    sold.push(withItems);
  }
  front.rewrite = (path, answer) => {
    const form = forms.get(Number(path.replace('orders/', '')));
    if (form !== undefined) answerJson(answer, form);
  };
  const result = await sweep(FORCED);
  expect(result).toMatchObject({ orders_new: 60, days_verified: result.days_due });
  const without = await rows(
    `SELECT o.lines_state AS state, array_agg(o.order_id ORDER BY o.order_id) AS ids FROM tested.orders o
     WHERE NOT EXISTS (SELECT FROM core.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id)
     GROUP BY 1 ORDER BY 1`,
  );
  const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b).map(String);
  expect(without).toEqual([
    { state: 'failed', ids: sorted(sold) },
    { state: 'ok', ids: sorted(empty) },
  ]);
  expect(await rows(`SELECT DISTINCT reason FROM tested.due WHERE kind = 'lines'`)).toEqual([
    { reason: 'the shop returned empty content for an order that it lists with items' },
  ]);
});
