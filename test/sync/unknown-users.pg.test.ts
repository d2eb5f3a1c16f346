import { expect, test } from 'vitest';

import type { Dialect } from '../../src/simulator/dialect.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { inWarehouse, sweepOnce, withoutGroups } from '../support/sweep.ts';
import { PRESENT } from './copy.ts';

const WORDS = [
  '404',
  '400',
  'success-0-message',
  'empty',
  'html',
] as const satisfies readonly Dialect['unknownUser'][];

test.each(WORDS)(
  'users that are not there are not there, in the word %s, and asked for once',
  async (unknownUser) => {
    await using simulator = await startSimulator({
      orders: 60,
      days: 6,
      seed: 3,
      now: PRESENT,
      dialect: { unknownUser },
    });
    const [, ...others] = simulator.shop.orders();
    // Buyers whom nobody knows.
    const unknown = others.slice(0, 4).map(({ orderId }, index) => {
      simulator.shop.setRaw(orderId, { master_oid: 900_000 + index });
      return String(900_000 + index);
    });
    await inWarehouse(async ({ client, db }) => {
      const result = await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { through: withoutGroups });
      expect(result).toMatchObject({ status: 'ok', shortfalls: [] });
      const { rows } = await client.query<{ oid: string; state: string }>(
        'SELECT user_oid::text AS oid, fetch_state AS state FROM core.users WHERE user_oid >= 900000 ORDER BY 1',
      );
      expect(rows).toEqual(unknown.map((oid) => ({ oid, state: 'not_found' })));
      const { rows: all } = await client.query(
        `SELECT 1 FROM core.users WHERE fetch_state IN ('ok', 'not_found')`,
      );
      // One more for a user that cannot be.
      expect(result.counts.user_requests).toBe(all.length + 1);
    });
  },
);

test('a user that is refused is told, and the others are read', async () => {
  await using simulator = await startSimulator({ orders: 60, days: 6, seed: 3, now: PRESENT });
  const refused = simulator.shop.orders().find(({ buyerOid }) => buyerOid !== 6)?.buyerOid ?? 0;
  simulator.shop.refuse('user', refused);
  await inWarehouse(async ({ client, db }) => {
    const sweep = () => sweepOnce(simulator, db, { kind: 'backfill' }, {}, { through: withoutGroups });
    expect(await sweep()).toMatchObject({ status: 'partial', newRejections: 1 });
    const { rows } = await client.query(
      `SELECT user_oid::text AS oid FROM core.users WHERE fetch_state NOT IN ('ok', 'guest')`,
    );
    expect(rows).toEqual([{ oid: String(refused) }]);
    expect(await sweep()).toMatchObject({ status: 'ok', counts: { user_requests: 0 } });
  });
});
