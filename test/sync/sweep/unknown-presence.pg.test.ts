import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { inWarehouse, OF_TEST_SHOP, sweepOnce, testClock } from '../../support/sweep.ts';
import { FORCED, held, idAt, marks, PRESENT, withCopy } from '../support/copy.ts';
import { hiding } from '../support/hiding.ts';
import { ageSuspects } from '../support/suspects.ts';
import { answerJson, type RewritingShop, startRewritingShop } from '../support/rewriting-shop.ts';

type Story = {
  readonly shop: RewritingShop;
  readonly client: Client;
  /** An order that the shop does not list any more. */
  readonly gone: number;
  readonly sweep: (request?: Partial<SweepRequest>) => ReturnType<typeof sweepOnce>;
  readonly pass: (minutes: number) => void;
};

/** A shop of 60 orders on six days, one of which was deleted after the copy was made. */
async function withDeleted(work: (story: Story) => Promise<void>): Promise<void> {
  await using simulator = await startSimulator({ orders: 60, days: 6, seed: 21, now: PRESENT });
  await using shop = await startRewritingShop(simulator.url);
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: () => shop.api() };
    const sweep = (request = {}) => sweepOnce(simulator, db, { ...FORCED, ...request }, {}, means);
    expect(await sweep()).toMatchObject({ status: 'ok' });
    const gone = idAt(simulator, 30);
    simulator.shop.deleteOrder(gone);
    clock.pass({ minutes: 1 });
    await work({ shop, client, gone, sweep, pass: (minutes) => clock.pass({ minutes }) });
  });
}

async function unverified(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE verified_at IS NULL ORDER BY day',
  );
  return rows.map(({ day }) => day);
}

/** The shop answers so for this order alone. */
const FAULTS: readonly (readonly [string, number, string])[] = [
  ['403', 403, '{"message":"no"}'],
  ['500', 500, '{"error":"x"}'],
  ['another shape', 200, '{"data":1}'],
  ['the content of another order', 200, '{"ordercontent":[{"oid":"1_a"}],"order_id":1}'],
];

test.each(FAULTS)(
  'an unlisted order that is answered by %s holds up only its own day, for a day',
  async (_what, status, body) => {
    await withDeleted(async ({ shop, client, gone, sweep, pass }) => {
      shop.rewrite = (path, answer) => {
        if (path === `orders/${gone}`) answerJson(answer, body, status);
      };
      const day = (await held(client, gone))?.day;
      const first = await sweep();
      expect(first).toMatchObject({
        status: 'partial',
        counts: { days_verified: first.daysDue - 1, orders_missing: 0 },
      });
      expect(first.problems.join()).toContain('gave no clear answer about 1 of them');
      expect(await unverified(client)).toEqual([day]);
      pass(60);
      await ageSuspects(client, 23);
      expect(await sweep()).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
      // The process's clock is not asked.
      pass(48 * 60);
      expect(await sweep()).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
      await ageSuspects(client, 2);
      expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_missing: 1 } });
      expect(await unverified(client)).toEqual([]);
      pass(6);
      expect(await sweep()).toMatchObject({ status: 'ok' });
      expect(await held(client, gone)).toMatchObject({ deleted_at: expect.any(String) });
    });
  },
);

test.each(FAULTS)(
  'an order accepted as missing is missing, even if the shop answers by %s',
  async (_what, status, body) => {
    await withDeleted(async ({ shop, client, gone, sweep }) => {
      shop.rewrite = (path, answer) => {
        if (path === `orders/${gone}`) answerJson(answer, body, status);
      };
      expect(await sweep({ acceptMissing: true })).toMatchObject({
        status: 'ok',
        counts: { orders_missing: 1 },
      });
      expect(await unverified(client)).toEqual([]);
    });
  },
);

test('the list of a shop that serves impossible orders is trusted after a day, or at once if accepted', async () => {
  await withDeleted(async ({ shop, client, sweep }) => {
    shop.rewrite = (path, answer) => {
      if (path.startsWith('orders/')) answerJson(answer, { ordercontent: [{ oid: '1_a' }], success: 1 });
    };
    expect(await sweep()).toMatchObject({
      status: 'partial',
      counts: { orders_missing: 0, content_requests: 1 },
    });
    expect(await unverified(client)).toHaveLength(1);
    expect(await sweep({ acceptMissing: true })).toMatchObject({
      status: 'ok',
      counts: { orders_missing: 1 },
    });
  });
});

test('an existing order that lost its lines is not taken for gone', async () => {
  await withDeleted(async ({ shop, client, gone, sweep }) => {
    shop.rewrite = (path, answer) => {
      if (path === `orders/${gone}`) answerJson(answer, { ordercontent: [], success: 1 });
    };
    const result = await sweep({ acceptMissing: true });
    expect(result).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
    expect(result.problems.join()).toContain('still serves their contents');
    expect(await held(client, gone)).toMatchObject({ missing_since: null });
  });
});

test.each([
  ['a login page', 200, '<html><title>Log in</title></html>'],
  ['403', 403, '{"message":"no"}'],
  ['500', 500, '{}'],
  ['404', 404, '{"message":"no such order"}'],
  ['a page of HTML with 404', 404, '<html><title>Not found</title></html>'],
  ['success 0', 200, '{"success":0}'],
  ['a message', 200, '{"success":0,"message":"Order not found"}'],
  ['an empty content', 200, '{"ordercontent":[],"success":1}'],
])('if all contents are answered by %s, that says nothing about an order', async (_what, status, body) => {
  await withDeleted(async ({ shop, client, gone, sweep }) => {
    shop.rewrite = (path, answer) => {
      if (path.startsWith('orders/')) answerJson(answer, body, status);
      if (path === 'orders?limit=3' && status === 200) answerJson(answer, body);
    };
    expect(await sweep()).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
    expect(await held(client, gone)).toMatchObject({ missing_since: null });
    shop.rewrite = () => undefined;
    expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_missing: 1 } });
  });
});

test('an incomplete list while contents fail briefly loses no order: another list still shows it', async () => {
  await withDeleted(async ({ shop, client, gone, sweep, pass }) => {
    await sweep();
    pass(1);
    const { rows: live } = await client.query<{ id: string }>(
      'SELECT order_id::text AS id FROM tested.orders WHERE missing_since IS NULL ORDER BY order_id LIMIT 3',
    );
    const hidden = new Set(live.map(({ id }) => Number(id)));
    shop.rewrite = (path, answer) => {
      if (path.startsWith('orders/')) answerJson(answer, '<html><title>Shop</title></html>');
      if (!path.startsWith('orders?') || /[?&](master_oid|email|phone|fio)=/.test(path)) return;
      const page = JSON.parse(answer.body.toString()) as { orders: { order_id: number }[] };
      const orders = page.orders.filter(({ order_id }) => !hidden.has(order_id));
      answerJson(answer, { orders, total: orders.length });
    };
    expect(await sweep()).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
    const { rows: marked } = await client.query<{ id: string }>(
      'SELECT order_id::text AS id FROM tested.orders WHERE missing_since IS NOT NULL',
    );
    expect(marked).toEqual([{ id: String(gone) }]);
  });
});

test('"gone" is not believed of one order where another list disproves the same answer for another', async () => {
  await withCopy(40, async ({ simulator, client, sweep }) => {
    simulator.shop.setDialect({ unknownOrder: 'html' });
    const [deleted, hidden] = [idAt(simulator, 10), idAt(simulator, 11)];
    simulator.shop.deleteOrder(deleted);
    /** The list of a buyer still shows the order; the list of a window, and its content, do not. */
    const through = (api: ShopApi): ShopApi => {
      const without = hiding(new Set([hidden]), 'list and content')(api);
      const isOfBuyer = ({ masterOid, email, phone, fio }: OrdersQuery) =>
        (masterOid ?? email ?? phone ?? fio) !== undefined;
      return {
        ...without,
        listOrders: (query, signal) => (isOfBuyer(query) ? api : without).listOrders(query, signal),
      };
    };
    const result = await sweep({ through });
    expect(result).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
    expect(result.problems.join()).toContain('2 orders were not listed');
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
    const { rows } = await client.query(`SELECT order_id::int AS id FROM ops.suspects WHERE ${OF_TEST_SHOP}`);
    expect(rows).toEqual([{ id: deleted }]);
    expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_missing: 1 } });
    expect(await marks(client)).toEqual({ missing: 1, deleted: 0 });
  });
});
