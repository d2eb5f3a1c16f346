import { expect, test } from 'vitest';

import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { openShop } from '../../support/shop.ts';
import { sweepOnce } from '../../support/sweep.ts';

const FORCED = { kind: 'backfill', force: true, to: Temporal.PlainDate.from('2026-03-05') } as const;

test('a shop that moved to another address is still synced; another shop under its key is refused', async () => {
  const made = { orders: 20, days: 10, seed: 1, now: Temporal.Instant.from('2026-03-05T12:00:00Z') };
  const { db, means, rows, sweep } = await openShop(made);
  await sweep(FORCED);
  await using moved = makeShopInProcess(made);
  const swept = await sweepOnce(moved, db, FORCED, {}, means);
  expect(swept).toMatchObject({ orders_new: 0, orders_changed: 0 });
  await using other = makeShopInProcess({ ...made, days: 30, seed: 2 });
  await expect(sweepOnce(other, db, FORCED, {}, means)).rejects.toThrow(
    /looks like another shop.*a shop key of its own/,
  );
  expect(await rows('SELECT base_url FROM tested.shops')).toEqual([{ base_url: moved.url }]);
});

test('days that were not read yet are in the ledger, unverified', async () => {
  const { rows, sweep } = await openShop({ orders: 40, days: 40, seed: 3 });
  const result = await sweep({ kind: 'sync', budgetMs: 0 });
  expect(result).toMatchObject({ status: 'partial', days_verified: 0, is_beginning_due: true });
  const days = await rows('SELECT verified_at AS at FROM tested.days');
  expect(days).toEqual(Array.from({ length: result.days_due }, () => ({ at: null })));
  const due = `SELECT FROM bi.completeness WHERE shop = 'test' AND NOT is_verified AND is_due`;
  expect(await rows(due)).toHaveLength(result.days_due);
});
