/** Shops that fail at a part of their list, and always: that part costs its day, and all else is read. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TransientError } from '../../../../src/model/errors.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { hastyClock, type Means, withoutGroups } from '../../../support/sweep.ts';
import { idAt } from '../../support/copy.ts';

const ORDERS = 150;
const SHOP = { orders: ORDERS, days: 40, seed: 5 };

/** Days with orders of the shop that the ledger does not call verified. */
async function openDays(client: Client, { shop }: Simulator): Promise<readonly string[]> {
  const { rows } = await client.query<{ day: string; is_verified: boolean }>(
    'SELECT day::text, verified_at IS NOT NULL AS is_verified FROM tested.days ORDER BY day',
  );
  const days = new Set(shop.orders().map(({ createdLocal }) => createdLocal.toPlainDate().toString()));
  return [...days].toSorted().filter((day) => rows.find((row) => row.day >= day)?.is_verified !== true);
}

async function heldOrders(client: Client): Promise<number> {
  const { rows } = await client.query<{ held: number }>('SELECT count(*)::int AS held FROM tested.orders');
  return rows[0]?.held ?? 0;
}

const dayOf = (simulator: Simulator, index: number) =>
  simulator.shop.orders()[index]?.createdLocal.toPlainDate().toString() ?? '';

/** An order in the middle of a day that has orders before it and after it. */
function indexInDay(simulator: Simulator, near: number): number {
  const index = Array.from({ length: 20 }, (_, step) => near + step).find((nth) =>
    [nth - 1, nth + 1].every((other) => dayOf(simulator, other) === dayOf(simulator, nth)),
  );
  if (index === undefined) throw new RangeError('no such order');
  return index;
}

type Case = {
  readonly name: string;
  readonly pageLimit: number;
  readonly brokenRow: '500' | 'empty-body';
  /** Of the order that the shop fails at. */
  readonly near: number;
  /** A first load in full comes before. */
  readonly isHeld: boolean;
};

const CASES: readonly Case[] = [
  {
    name: 'with nothing, on its first load',
    pageLimit: 500,
    brokenRow: 'empty-body',
    near: 75,
    isHeld: false,
  },
  { name: 'with 500, later on', pageLimit: 500, brokenRow: '500', near: 40, isHeld: true },
];

test.each(CASES)(
  'a shop that fails $name, at one order leaves only that order’s day unverified',
  async (given) => {
    const { pageLimit, brokenRow, near, isHeld } = given;
    const dialect = { brokenRow };

    const { client, clock, shop, simulator, ...ground } = await openShop({ ...SHOP, dialect });
    clock.pass({ milliseconds: 37_500 });
    const sweep = () => ground.sweep(FORCED, { pageLimit }, { clock: hastyClock() });
    if (isHeld) expect(await sweep()).toMatchObject({ status: 'ok' });
    const index = indexInDay(simulator, near);
    shop.refuse('row', idAt(simulator, index));
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      clock.pass({ minutes: 6 });
      shop.insertOrder();
      simulator.requests.reset();
      const result = await sweep();
      expect(result.status).toBe('partial');
      expect(result.problems.join('\n')).toMatch(
        /the orders of \d{4}-\d\d-\d\dT\d\d:\d\d cannot be read: the shop fails at it \(.*the shop answered /,
      );
      expect(await openDays(client, simulator)).toEqual([dayOf(simulator, index)]);
      expect(await heldOrders(client)).toBe(ORDERS + sweeps + (isHeld ? 1 : 0));
      expect(result.list_requests).toBeLessThan(220);
    }
    shop.allowAll();
    clock.pass({ minutes: 6 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await openDays(client, simulator)).toEqual([]);
  },
);

test('a shop that fails on its newest order is not considered down', async () => {
  const { client, shop, simulator, sweep } = await openShop(SHOP);
  shop.refuse('row', idAt(simulator, ORDERS - 1));
  const result = await sweep(FORCED, { pageLimit: 25 }, { clock: hastyClock() });
  expect(result.status).toBe('partial');
  expect(await openDays(client, simulator)).toEqual([dayOf(simulator, ORDERS - 1)]);
  expect(await heldOrders(client)).toBe(ORDERS - 1);
});

test('if the shop fails on pages of more than 20 orders, smaller pages are requested', async () => {
  const dialect = { failing: 'limit' } as const;

  const { client, simulator, sweep } = await openShop({ ...SHOP, dialect });
  expect(await sweep(FORCED, {}, { clock: hastyClock() })).toMatchObject({ status: 'ok' });
  expect(await openDays(client, simulator)).toEqual([]);
});

test('a shop that fails beyond a list position still has the orders there', async () => {
  const { client, simulator, sweep } = await openShop(SHOP);
  const through: Means['through'] = (api) => ({
    ...withoutGroups(api),
    async listOrders(query, signal, retry) {
      if ((query.start ?? 0) >= 100) throw new TransientError('the shop answered HTTP 500');
      const page = await api.listOrders(query, signal, retry);
      const left = 100 - (query.start ?? 0);
      const received = Math.min(page.received, left);
      return { ...page, rows: page.rows.slice(0, left), keys: page.keys.slice(0, left), received };
    },
  });
  const result = await sweep(FORCED, { pageLimit: 25 }, { clock: hastyClock(), through });
  expect(result.problems).toEqual([]);
  expect(await openDays(client, simulator)).toEqual([]);
  expect(await heldOrders(client)).toBe(ORDERS);
});

test('an order that is always listed twice leaves its day unverified, and orders that are new or came back are loaded', async () => {
  const { client, clock, shop, simulator, sweep } = await openShop(SHOP);
  const index = indexInDay(simulator, 75);
  const twice = String(idAt(simulator, index));
  const through: Means['through'] = (api) => ({
    ...withoutGroups(api),
    async listOrders(query, signal) {
      const page = await api.listOrders(query, signal);
      const twin = <Item>(items: readonly Item[], isIt: (item: Item) => boolean) =>
        items.flatMap((item) => (isIt(item) ? [item, item] : [item])).slice(0, query.limit);
      const rows = twin(page.rows, ({ orderId }) => orderId === twice);
      return { ...page, rows, keys: twin(page.keys, (key) => key === twice), received: rows.length };
    },
  });
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    clock.pass({ minutes: 6 });
    shop.insertOrder();
    // One of the same day came back.
    await client.query('UPDATE tested.orders SET missing_since = $1 WHERE order_id = $2', [
      clock.now().toString(),
      idAt(simulator, index + 1),
    ]);
    const result = await sweep(FORCED, {}, { through });
    expect(result.status).toBe('partial');
    expect(await openDays(client, simulator)).toEqual([dayOf(simulator, index)]);
    expect(await heldOrders(client)).toBeGreaterThan(ORDERS - 10);
  }
  const listed = [idAt(simulator, ORDERS + 1), idAt(simulator, index + 1)];
  const { rowCount } = await client.query(
    'SELECT 1 FROM tested.orders WHERE order_id = ANY ($1) AND missing_since IS NULL',
    [listed],
  );
  expect(rowCount).toBe(2);
});
