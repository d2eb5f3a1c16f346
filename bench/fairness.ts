/**
 * What one shop that never answers costs the others: the time between two sweeps of each of nine shops, beside a tenth
 * that is as well as they are, and beside a tenth that is a black hole.
 *
 *   npm run bench:fairness
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Lab, type LabShop, openLab, untilEqual, writeShopsFile } from '../test/support/fleet-lab.ts';
import { openBenchServer } from './database.ts';

const MEASURED_MS = 90_000;

await using server = await openBenchServer();
const gaps: number[] = [];
for (const isHole of [false, true]) {
  await using lab = await openLab(
    await server.emptyDatabase(),
    10,
    { orders: 60, days: 10, latencyMs: 50 },
    { freshness: '*:1s' },
  );
  const hole = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(hole, 'listening');
  if (isHole) await digHole(lab, hole.address() as AddressInfo);
  await lab.startWorker().url;
  await untilEqual({ ...lab, shops: lab.shops.slice(0, 9) });
  await sleep(MEASURED_MS);
  const { rows } = await lab.client.query<{ gap: number; sweeps: number }>(`
    SELECT avg(gap)::float8 AS gap, count(*)::int AS sweeps FROM (
      SELECT extract(epoch FROM started_at - lag(started_at) OVER (PARTITION BY shop_id ORDER BY started_at)) AS gap
      FROM ops.runs JOIN core.shops USING (shop_id)
      WHERE shop_key <> 'shop-10' AND started_at > now() - interval '${MEASURED_MS / 1000} seconds') AS gaps`);
  const [{ gap, sweeps } = { gap: 0, sweeps: 0 }] = rows;
  gaps.push(gap);
  console.log(
    `${isHole ? 'beside a black hole' : 'ten healthy shops'}: ${gap.toFixed(2)} s between sweeps (${sweeps})`,
  );
  hole.close();
}
const [healthy = 0, beside = 0] = gaps;
console.log(`the time between sweeps grew by ${((beside / healthy - 1) * 100).toFixed(1)} %`);

/** Points the last shop of the file to a server that takes connections and never answers. */
async function digHole({ shops, shopsFile }: Lab, { port }: AddressInfo): Promise<void> {
  const broken = shops.map((shop, index): LabShop => {
    const url = `http://127.0.0.1:${port}`;
    return index === shops.length - 1 ? { ...shop, simulator: { ...shop.simulator, url } } : shop;
  });
  await writeShopsFile(shopsFile, broken, { freshness: '*:1s' });
}
