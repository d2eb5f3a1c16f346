import { expect, test } from 'vitest';

import { freshDatabase } from '../support/database.ts';
import { audit, OrderStates } from '../support/crash-audit.ts';
import { openLab, untilEqual } from '../support/fleet-lab.ts';
import { atRequest, stop, untilReached } from '../support/kill.ts';
import { lifeMs, patienceMs, testTimeoutMs } from '../support/patience.ts';
import { IS_LONG } from '../support/long.ts';

const STOPS = IS_LONG ? 50 : 1;
/** Less than the ten seconds after which Docker kills, as long as the machine is left to the tests. */
const endsWithinMs = () => patienceMs() * 0.4;

test(
  'a worker stopped in the middle of a window ends in time, leaves nothing half-written, and the next one continues',
  { timeout: 2 * testTimeoutMs() },
  async () => {
    await using lab = await openLab(
      await freshDatabase(),
      1,
      { orders: 150, days: 60, latencyMs: 3, pageCap: 15 },
      { maxRps: 10_000 },
    );
    const [shop] = lab.shops;
    if (shop === undefined) throw new Error('the lab has no shop');
    const { simulator } = shop;
    const states = new OrderStates(simulator.shop);
    const first = lab.startWorker();
    await untilEqual(lab, lifeMs());
    expect((await stop(first)).code).toBe(0);
    const slowest = { ms: 0 };
    let verified = 0;
    for (let round = 0; round < STOPS; round++) {
      // Something is left to do each time.
      for (const order of simulator.shop.orders().slice(0, 60)) simulator.shop.editOrder(order.orderId);
      states.add(simulator.shop);
      await lab.client.query('UPDATE tested.days SET verified_at = NULL');
      const reached = Promise.withResolvers<void>();
      // A sweep of this shop makes some fifteen list requests, and one for the lines of each edited order.
      const point =
        round % 3 === 1
          ? atRequest('orders', 1 + ((round + 2) % 8))
          : atRequest('order', 1 + ((14 + round * 7) % 40));
      const disarm = point({ simulator }, async () => {
        reached.resolve();
        return 'deliver';
      });
      const worker = lab.startWorker();
      await untilReached(worker, reached.promise);
      const began = performance.now();
      const outcome = await stop(worker);
      const tookMs = performance.now() - began;
      disarm();
      slowest.ms = Math.max(slowest.ms, tookMs);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0, signal: null });
      expect(tookMs).toBeLessThan(endsWithinMs());
      const { faults, verifiedDays } = await audit(lab.client, simulator.shop, states);
      expect(faults.filter((fault) => !fault.startsWith('day '))).toEqual([]);
      verified = Math.max(verified, verifiedDays.length);
    }
    const { rows } = await lab.client.query<{ status: string; holder_ended: boolean }>(
      `SELECT DISTINCT r.status, l.expires_at <= now() AS holder_ended FROM tested.runs r JOIN tested.leases l USING (shop_id)`,
    );
    // Each ended by itself and handed its lease back: none was found dead by the next.
    expect(rows.map(({ status }) => status)).not.toContain('abandoned');
    expect(rows.every(({ holder_ended }) => holder_ended)).toBe(true);
    lab.startWorker();
    await lab.client.query('UPDATE tested.days SET verified_at = NULL');
    await untilEqual(lab, lifeMs());
    process.stdout.write(`${STOPS} stops, the slowest took ${slowest.ms.toFixed(0)} ms\n`);
    expect(verified).toBeGreaterThan(0);
  },
);
