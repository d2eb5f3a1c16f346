import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { OF_TEST_SHOP, sweepOnce, verifyOnce, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { hiding } from '../support/hiding.ts';
import { withShop } from '../../support/shop.ts';

test('contents that cannot be read are counted, on whatever page their orders are listed', () =>
  withShop({ orders: 60, days: 20, seed: 21 }, async ({ clock, db, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: clock.now, through: withoutGroups });
    const orders = simulator.shop.orders().map(({ orderId }) => orderId);
    const refused = hiding(new Set([orders[3] ?? 0, orders[30] ?? 0, orders[57] ?? 0]), 'content');
    const means = { now: clock.now, through: (api: ShopApi) => refused(withoutGroups(api)) };
    const request = { makeDue: false, lines: true };
    const result = await verifyOnce(simulator, db, request, { pageLimit: 20 }, means);
    expect(result).toMatchObject({
      status: 'partial',
      problems: ['the lines of 3 orders could not be read'],
      differences: [],
      content_requests: 57,
    });
  }));

test('lines edited in the warehouse are read again, even if their order is unchanged', () =>
  withShop({ orders: 30, days: 10, seed: 21 }, async ({ client, clock, db, means, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    await client.query(`
      UPDATE core.order_lines SET quantity = quantity + 1
      WHERE order_id = (SELECT min(order_id) FROM tested.order_lines) AND ${OF_TEST_SHOP}`);
    const request = { makeDue: true, lines: true };
    const { differences: found } = await verifyOnce(simulator, db, request, {}, means);
    expect(found.map(({ kind }) => kind)).toEqual(['lines differ']);
    clock.pass({ minutes: 1 });
    await sweepOnce(simulator, db, { kind: 'sync' }, {}, means);
    expect(await differences(client, simulator.shop)).toEqual([]);
    expect((await verifyOnce(simulator, db, request, {}, means)).differences).toEqual([]);
  }));
