import { expect, test } from 'vitest';

import { freshDatabase } from '../support/database.ts';
import { type Lab, openLab, untilEqual, writeShopsFile } from '../support/fleet-lab.ts';
import { patienceMs } from '../support/patience.ts';
import { until } from '../support/until.ts';

/** No tick comes while a test lasts. */
const NO_TICK = '0 0 1 1 *';

test('a first load that its budget ended goes on at once, without another tick, until the shop is complete', async () => {
  // Twelve pages, one after the other, take several sweeps of a second.
  const settings = { maxRps: 10_000, maxConcurrency: 8 };
  await using lab = await openLab(
    await freshDatabase(),
    1,
    { orders: 120, days: 24, latencyMs: 150, pageCap: 10 },
    settings,
  );
  lab.startWorker({ SYNC_CRON: NO_TICK, SYNC_BUDGET: '1s' });
  await untilEqual(lab);
  expect(await countRuns(lab)).toBeGreaterThan(1);
  expect(await countOverlaps(lab)).toBe(0);
});

test('an added shop is swept next, though twenty others are still in their first load', async () => {
  const settings = { maxRps: 50 };
  await using lab = await openLab(
    await freshDatabase(),
    21,
    { orders: 100, days: 40, pageCap: 10 },
    settings,
  );
  await writeShopsFile(lab.shopsFile, lab.shops.slice(0, 20), settings);
  const worker = lab.startWorker({ SYNC_CRON: NO_TICK, SYNC_BUDGET: '1s' });
  await worker.url;
  await until('all had a sweep', async () => (await countRuns(lab)) > 20, 2 * patienceMs());
  await writeShopsFile(lab.shopsFile, lab.shops, settings);
  const { rows } = await lab.client.query<{ now: string }>('SELECT now()::text AS now');
  worker.process.kill('SIGHUP');
  await until('the added shop is swept', async () => (await firstRunOf(lab, 'shop-21')) !== undefined);
  const others = await lab.client.query(
    `SELECT FROM tested.runs WHERE started_at BETWEEN $1::timestamptz AND $2::timestamptz`,
    [rows[0]?.now, await firstRunOf(lab, 'shop-21')],
  );
  // In turn it would come after some nineteen others.
  expect(others.rowCount).toBeLessThan(12);
  const complete = await lab.client.query('SELECT FROM tested.shop_state WHERE completed_at IS NOT NULL');
  expect(complete.rowCount).toBeLessThan(20);
  expect(await countOverlaps(lab)).toBe(0);
});

async function countRuns({ client }: Lab): Promise<number> {
  return (await client.query('SELECT FROM tested.runs')).rowCount ?? 0;
}

async function firstRunOf({ client }: Lab, shopKey: string): Promise<string | undefined> {
  const { rows } = await client.query<{ began: string | null }>(
    `SELECT min(started_at)::text AS began FROM tested.runs JOIN tested.shops USING (shop_id) WHERE shop_key = $1`,
    [shopKey],
  );
  return rows[0]?.began ?? undefined;
}

/** Sweeps that began before the one before of the same shop had ended. */
async function countOverlaps({ client }: Lab): Promise<number> {
  const { rows } = await client.query<{ overlaps: number }>(`
    SELECT count(*)::int AS overlaps FROM (
      SELECT started_at, lag(coalesce(finished_at, 'infinity')) OVER (PARTITION BY shop_id ORDER BY started_at) AS ended
      FROM tested.runs) AS runs
    WHERE ended > started_at`);
  return rows[0]?.overlaps ?? Number.NaN;
}
