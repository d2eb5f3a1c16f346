import { expect, test } from 'vitest';

import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { GUEST_OID } from '../../../../src/simulator/shop/sim-users.ts';
import { inOwnWarehouse, sweepOnce, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T20:00:00Z');
/** More in one window than may be asked for ahead, and far more than may wait to be written. */
const ORDERS = 1_400;
/** Of contents; many more are asked for by then than are written. */
const ENDS_AT = 400;

test.each(['the process is told to stop', 'the database is gone'] as const)(
  'if %s in the middle of a large window, the sweep ends, and the next one continues',
  async (what) => {
    await using simulator = makeShopInProcess({ orders: 0, days: 30, now: PRESENT });
    const noon = Temporal.PlainDateTime.from('2026-03-01T12:00');
    for (let index = 0; index < ORDERS; index += 1) {
      simulator.shop.insertOrder({ buyerOid: GUEST_OID, createdLocal: noon.add({ seconds: index * 20 }) });
    }
    await inOwnWarehouse(async ({ client, db }) => {
      const stop = new AbortController();
      const unlisten = simulator.requests.onRequest(async ({ route }) => {
        if (route !== 'order' || simulator.requests.count('order') !== ENDS_AT) return;
        if (what === 'the process is told to stop') stop.abort(new Error('stopped'));
        else await client.query('ALTER TABLE core.orders RENAME TO orders_gone');
      });
      const sweep = (signal?: AbortSignal) =>
        sweepOnce(
          simulator,
          db,
          { kind: 'backfill' },
          {},
          { now: () => PRESENT, signal, through: withoutGroups },
        );
      await expect(sweep(stop.signal)).rejects.toThrow(/^stopped$|query/);
      unlisten();
      if (what === 'the database is gone')
        await client.query('ALTER TABLE core.orders_gone RENAME TO orders');
      expect(await sweep()).toMatchObject({ status: 'ok' });
      expect(await differences(client, simulator.shop)).toEqual([]);
    });
  },
);
