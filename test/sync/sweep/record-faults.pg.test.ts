import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Simulator } from '../../../src/simulator/server.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { readLineFailures } from '../../../src/warehouse/orders/due-lines.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { FORCED, idAt } from '../support/copy.ts';
import { answerJson, type FrontedGround, withFrontedShop } from '../support/rewriting-shop.ts';
import { PRESENT } from '../../support/shop.ts';

const DEEP = '['.repeat(4000) + ']'.repeat(4000);

/** With the group tree. */
const withShop = (work: (ground: FrontedGround) => Promise<void>) =>
  withFrontedShop({ orders: 60, days: 6, seed: 21 }, (ground) =>
    work({ ...ground, sweep: () => ground.sweep(FORCED, {}, { through: () => ground.front.api() }) }),
  );

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

test('a fault of one order, user or group is reported for that record, and everything else continues', () =>
  withShop(async ({ simulator, front, client, db, clock, sweep }) => {
    const [refused, deep, other, empty, gone, row] = [3, 10, 20, 30, 40, 50].map((index) =>
      idAt(simulator, index),
    );
    // Of one item, which is enough to miss its line.
    const { lines: [line] = [] } = simulator.shop.order(empty ?? 0) ?? {};
    if (line !== undefined) simulator.shop.editOrder(empty ?? 0, { lines: [{ ...line, quantity: 1 }] });
    const [secret, odd] = simulator.shop
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
    const first = await sweep();
    expect(first).toMatchObject({ status: 'partial', orders_new: 60, orders_without_lines: 4 });
    expect(first.days_verified).toBe(first.days_due);
    expect(await failedLines(client)).toEqual(
      [refused, other, empty, gone].toSorted((a = 0, b = 0) => a - b),
    );
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
    const { rows: groups } = await client.query('SELECT 1 FROM tested.user_groups WHERE deleted_at IS NULL');
    expect(groups).toHaveLength(simulator.shop.groups().length);

    // They are not asked for at once again, and they are not forgotten.
    clock.pass({ seconds: 30 });
    expect(await sweep()).toMatchObject({
      status: 'ok',
      content_requests: 0,
      orders_without_lines: 4,
    });
    clock.pass({ hours: 2 });
    expect(await sweep()).toMatchObject({
      status: 'partial',
      new_rejections: 0,
      content_requests: 6,
    });

    front.rewrite = () => undefined;
    clock.pass({ hours: 26 });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_without_lines: 0 });
    expect((await open(client)).filter((each) => !each.startsWith(`content ${deep}`))).toEqual([]);
  }));

function isBuyer({ shop }: Simulator, oid: number): boolean {
  return shop.orders().some(({ buyerOid }) => buyerOid === oid);
}

test('the orders of a shop that refuses all contents are loaded', () =>
  withShop(async ({ front, client, sweep }) => {
    front.rewrite = (path, answer) => {
      if (path.startsWith('orders/')) answerJson(answer, { message: 'no' }, 403);
    };
    const result = await sweep();
    expect(result).toMatchObject({ status: 'partial', orders_without_lines: 60, orders_new: 60 });
    expect(result.days_verified).toBe(result.days_due);
    expect(await failedLines(client)).toHaveLength(60);
    // Not each refusal is looked into.
    expect(front.asked.filter((path) => path === 'orders?limit=1').length).toBeLessThan(8);
  }));
