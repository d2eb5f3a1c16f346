import { expect, test } from 'vitest';

import type { Simulator, SimulatorOptions } from '../../../../src/simulator/server.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';

const NOW = Temporal.Instant.from('2025-06-01T20:00:00Z');
const LAST_DAY = Temporal.PlainDate.from('2025-06-01');

type Case = {
  readonly name: string;
  readonly shop: SimulatorOptions & { readonly days: number };
  readonly prepare?: (simulator: Simulator) => void;
  /** Rows of a page: the shop's cap, or the limit asked for. */
  readonly page: number;
  readonly pageLimit?: number;
  /** By force again, when the ledger knows the counts. */
  readonly isTwice?: boolean;
};

function placeAt(times: (index: number) => Temporal.PlainDateTime, count: number) {
  return ({ shop }: Simulator) => {
    for (let index = 0; index < count; index++) shop.insertOrder({ createdLocal: times(index) });
  };
}

const noon = LAST_DAY.subtract({ days: 5 }).toPlainDateTime('12:30');
const TEN_YEARS = 3652;

const CASES: readonly Case[] = [
  {
    name: '120 orders in one minute among 40 others, 20 to a page',
    shop: { orders: 40, days: 10, pageCap: 20 },
    prepare: placeAt((index) => noon.add({ seconds: index % 60 }), 120),
    page: 20,
  },
  {
    name: 'ten years of empty days and 7 orders',
    shop: { orders: 0, days: TEN_YEARS },
    prepare: placeAt((index) => noon.subtract({ days: index * 500 }), 7),
    page: 500,
  },
  {
    name: '240 orders in 180 days, 40 to a page, for the first time and by force again',
    shop: { orders: 240, days: 180 },
    pageLimit: 40,
    page: 40,
    isTwice: true,
  },
];

test.for(CASES)(
  '$name: at most twice the minimum of list requests, and a few for what lies beyond its ends',
  async (given) => {
    const { differences, shop, simulator, sweep } = await openShop({ ...given.shop, now: NOW });
    given.prepare?.(simulator);
    const from = LAST_DAY.subtract({ days: given.shop.days });
    const orders = shop.orders().length;
    for (const force of given.isTwice === true ? [false, true] : [false]) {
      simulator.requests.reset();
      const settings = given.pageLimit === undefined ? {} : { pageLimit: given.pageLimit };
      const request = { kind: 'backfill', from, to: LAST_DAY, force } as const;
      const result = await sweep(request, settings);
      expect(result).toMatchObject({
        status: 'ok',
        orders_seen: orders,
        orders_new: force ? 0 : orders,
        orders_missing: 0,
      });
      expect(await differences()).toEqual([]);
      const asked = simulator.requests.count('orders');
      // No reader can do with fewer pages than hold all rows.
      const least = Math.ceil(orders / given.page);
      process.stdout.write(`list requests: ${asked}, least possible ${least}: ${given.name}\n`);
      // What lies beyond the ends is asked for apart; and in a shop that showed no page of 20 rows, behind each row that comes
      // alone.
      expect(asked).toBeLessThanOrEqual(2 * least + 12);
    }
  },
);

const ORDERS = IS_LONG ? 600 : 240;

test('a sync of an unchanged shop of 180 days takes few list requests if all are due, and two a minute', async () => {
  const made = { orders: ORDERS, days: 180, now: NOW };
  const { client, clock, differences, simulator, ...ground } = await openShop(made);
  const sweep = () => ground.sweep({ kind: 'sync' }, { pageLimit: ORDERS / 6 });
  expect(await sweep()).toMatchObject({ status: 'ok', orders_new: ORDERS });
  const least = 6;

  const listRequests = async () => {
    simulator.requests.reset();
    const unchanged = { status: 'ok', orders_new: 0, orders_changed: 0, orders_missing: 0 };
    const result = await sweep();
    expect(result).toMatchObject(unchanged);
    return { asked: simulator.requests.count('orders'), days: result.days_due };
  };
  clock.pass({ hours: 25 });
  const all = await listRequests();
  expect(all.days).toBeGreaterThan(180);
  expect(all.asked).toBeLessThanOrEqual(14);

  clock.pass({ seconds: 20 });
  await client.query(`UPDATE tested.days SET verified_at = NULL WHERE day = '2025-03-03'`);
  expect(await listRequests()).toEqual({ asked: 2, days: 1 });
  for (let minute = 1; minute <= 3; minute++) {
    clock.pass({ minutes: 1 });
    expect(await listRequests(), `today and yesterday, minute ${minute}`).toEqual({ asked: 2, days: 2 });
  }

  // After a week the list is read without dates as well.
  clock.pass({ hours: 8 * 24 });
  const audited = await listRequests();
  expect(audited.days).toBeGreaterThan(180);
  expect(audited.asked).toBeLessThanOrEqual(2 * 2 * least);
  process.stdout.write(`list requests where all is due: ${all.asked}, with an audit ${audited.asked}\n`);
  expect(await differences()).toEqual([]);
});
