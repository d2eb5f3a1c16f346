import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { inWarehouse, sweepOnce } from '../../support/sweep.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');

test('a shop that moved to another address is still synced; another shop under its key is refused', async () => {
  await using first = await startSimulator({ orders: 20, days: 10, seed: 1, now });
  await inWarehouse(async ({ client, db }) => {
    const request = { kind: 'backfill', to: Temporal.PlainDate.from('2026-03-05') } as const;
    await sweepOnce(first, db, request);
    await using moved = await startSimulator({ orders: 20, days: 10, seed: 1, now });
    expect(await sweepOnce(moved, db, { ...request, force: true })).toMatchObject({
      orders_new: 0,
      orders_changed: 0,
    });
    await using other = await startSimulator({ orders: 20, days: 30, seed: 2, now });
    await expect(sweepOnce(other, db, { ...request, force: true })).rejects.toThrow(
      /looks like another shop.*a shop key of its own/,
    );
    const { rows } = await client.query('SELECT base_url FROM tested.shops');
    expect(rows).toEqual([{ base_url: moved.url }]);
  });
});

test('days that were not read yet are in the ledger, unverified', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 40, seed: 3 });
  await inWarehouse(async ({ client, db }) => {
    const result = await sweepOnce(simulator, db, { kind: 'sync', budgetMs: 0 });
    expect(result).toMatchObject({ status: 'partial', days_verified: 0, is_beginning_due: true });
    const { rows } = await client.query(
      'SELECT count(*)::int AS days, count(verified_at)::int AS verified FROM tested.days',
    );
    expect(rows).toEqual([{ days: result.days_due, verified: 0 }]);
    const { rows: shown } = await client.query(
      "SELECT count(*)::int AS days FROM bi.completeness WHERE shop = 'test' AND NOT is_verified AND is_due",
    );
    expect(shown).toEqual([{ days: result.days_due }]);
  });
});
