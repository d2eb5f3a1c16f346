import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { withoutGroups } from '../../support/sweep.ts';
import { FORCED, marks } from '../support/copy.ts';
import { daysThatAre, withShop } from '../../support/shop.ts';

const WORDS = [
  '404',
  '400',
  'success-0',
  'success-0-message',
  'empty-content',
  'html',
] as const satisfies readonly Dialect['unknownOrder'][];

/** An order that cannot exist, twice, and orders that are listed. */
const CONTROLS = 5;

/** Contents are no part of these stories, but for whether there is one. */
const withoutContents = (api: ShopApi): ShopApi => ({
  ...withoutGroups(api),
  orderContent: async () => ({
    kind: 'found',
    lines: [{ oid: '1_a' }],
    raw: { ordercontent: [{ oid: '1_a' }] },
  }),
  userResponse: async () => ({
    kind: { shape: '', control: 'none' },
    found: { kind: 'found', userOid: '1', raw: {} },
  }),
});

/** As if the orders that were deleted in the shop were just there. */
async function restore(client: Client): Promise<void> {
  await client.query('UPDATE tested.orders SET missing_since = NULL, deleted_at = NULL');
}

async function deletedInEveryWord(orders: number, gone: number, acceptMissing: boolean): Promise<void> {
  await withShop({ orders, days: 40, seed: orders }, async ({ client, clock, simulator, ...ground }) => {
    const sweep = (request = {}) => ground.sweep({ ...FORCED, ...request }, {}, { through: withoutContents });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: orders });
    const all = simulator.shop.orders();
    const step = Math.floor(orders / gone);
    for (const { orderId } of all.filter((_, index) => index % step === 0).slice(0, gone)) {
      simulator.shop.deleteOrder(orderId);
    }
    for (const unknownOrder of WORDS) {
      simulator.shop.setDialect({ unknownOrder });
      simulator.requests.reset();
      clock.pass({ minutes: 10 });
      expect(await sweep({ acceptMissing }), unknownOrder).toMatchObject({ status: 'ok', problems: [] });
      expect(await marks(client), unknownOrder).toEqual({ missing: gone, deleted: 0 });
      expect(await daysThatAre('open', client)).toEqual([]);
      clock.pass({ minutes: 5 });
      expect(await sweep(), unknownOrder).toMatchObject({ status: 'ok', problems: [] });
      expect(await marks(client), unknownOrder).toEqual({ missing: gone, deleted: gone });
      expect(await daysThatAre('open', client)).toEqual([]);
      expect(simulator.requests.count('order'), unknownOrder).toBeLessThanOrEqual(gone + CONTROLS);
      expect(simulator.requests.count('orders'), unknownOrder).toBeLessThanOrEqual(30);
      await restore(client);
    }
  });
}

test('10 deletions of 150 are found with each of six answers for "no such order"', async () => {
  await deletedInEveryWord(150, 10, false);
});

test('100 accepted deletions of 250 are found with each of six answers', async () => {
  await deletedInEveryWord(250, 100, true);
});
