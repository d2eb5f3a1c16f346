import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce } from '../../support/sweep.ts';

/** What is open: `order summ`, or `order` where nothing of one was understood. */
async function open(client: Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT concat_ws(' ', resource, field) AS what FROM tested.rejections WHERE resolved_at IS NULL ORDER BY 1`,
  );
  return rows.map((row) => row['what']);
}

const ALL = ['content count', 'group sort', 'order', 'order summ', 'user created'];

test('a rejection is resolved when its record is read without the problem, or is deleted', async () => {
  await using simulator = makeShopInProcess({ orders: 12, days: 3, seed: 8 });
  const { shop } = simulator;
  const [priced = 0, counted = 0, nameless = 0] = shop.orders().map(({ orderId }) => orderId);
  const shows = { badUsers: true, badGroup: true };
  shop.setRaw(priced, { summ: 'free' });
  shop.setRawContent(counted, [{ oid: '1_a', count: 'many' }]);
  shop.setRaw(nameless, { order_id: 'none' });
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    async userResponse(key, signal) {
      if (!shows.badUsers) return api.userResponse('2147483646', signal);
      const { kind, found } = await api.userResponse(key, signal);
      return { kind, found: found && { ...found, raw: { ...found.raw, created: 'once' } } };
    },
    async groups({ parentOid }) {
      if (parentOid !== '0') return [];
      const kept = { groupOid: '1', raw: { oid: 1 } };
      return shows.badGroup ? [kept, { groupOid: '2', raw: { oid: 2, sort: 'first' } }] : [kept];
    },
  });
  await inWarehouse(async ({ client, db }) => {
    const force = { kind: 'backfill', force: true } as const;
    const sweep = async () => {
      // An age of nothing would have users read for ever in one sweep.
      await client.query(`UPDATE tested.users SET fetch_state = 'pending' WHERE fetch_state <> 'guest'`);
      return sweepOnce(simulator, db, force, { groupsMaxAgeMs: 0 }, { through });
    };
    const first = await sweep();
    expect(first.new_rejections).toBeGreaterThanOrEqual(ALL.length);
    expect(first.rejections, 'all are new').toBe(first.new_rejections);
    expect(await open(client)).toEqual(ALL);

    // Read again as they are, all of them stay.
    expect(await sweep()).toMatchObject({ new_rejections: 0 });
    expect(await open(client)).toEqual(ALL);

    shop.setRaw(priced, undefined);
    shop.editOrder(priced, { sumCents: 5 });
    shows.badGroup = false;
    await sweep();
    expect(await open(client)).toEqual(['content count', 'order', 'user created']);

    shows.badUsers = false;
    shop.setRawContent(counted, undefined);
    shop.editOrder(counted, { sumCents: 6 });
    shop.setRaw(nameless, undefined);
    expect(await sweep()).toMatchObject({ status: 'ok', new_rejections: 0 });
    expect(await open(client)).toEqual([]);
  });
});
