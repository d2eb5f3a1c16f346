/** Staff type contacts of buyers into lines, too. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopSettings } from '../../../src/sync/run/context.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inOwnWarehouse, type Opened, sweepOnce, testClock } from '../../support/sweep.ts';
import { PRESENT } from '../support/copy.ts';

const SAVING: Partial<ShopSettings> = { pseudonymize: { keptFields: [] } };

async function linesOf(client: Client) {
  const lines = await client.query<{ sku: string | null }>(
    'SELECT order_id, line_no, code, product_name, sku, discount_raw FROM tested.order_lines ORDER BY 1, 2',
  );
  const contents = await client.query<{ payload: unknown }>(
    'SELECT order_id, payload FROM tested.raw_order_contents ORDER BY 1',
  );
  return { lines: lines.rows, contents: contents.rows };
}

test('once no person may be stored, stored lines are as if they had been loaded so', async () => {
  await using simulator = makeShopInProcess({ orders: 20, days: 3, seed: 5, now: PRESENT });
  for (const [at, { orderId }] of simulator.shop.orders().entries()) {
    const articul = at % 2 === 0 ? 'for ivan@mail.example' : 'A-1';
    simulator.shop.setRawContent(orderId, [{ oid: '1_a', name: 'Mug', articul, count: 1, price: 2 }]);
  }
  await inOwnWarehouse((switched) =>
    inOwnWarehouse(async (pseudonymized) => {
      const clock = testClock(PRESENT);
      const sweep = (opened: Opened, settings: Partial<ShopSettings>) =>
        sweepOnce(simulator, opened.db, { kind: 'backfill' }, settings, { now: clock.now });
      await sweep(switched, {});
      const before = await linesOf(switched.client);
      expect(before.lines.filter(({ sku }) => sku === 'for ivan@mail.example')).toHaveLength(10);
      await sweep(switched, SAVING);
      await sweep(pseudonymized, SAVING);
      const after = await linesOf(switched.client);
      expect(after.lines.filter(({ sku }) => sku === 'A-1')).toHaveLength(10);
      expect(JSON.stringify(after)).not.toContain('ivan');
      expect(after).toEqual(await linesOf(pseudonymized.client));
    }),
  );
});
