import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { freshDatabase } from '../support/database.ts';
import { auditReport, startAudit } from './audit.ts';
import { openLab, untilEqual } from '../support/fleet-lab.ts';
import { patienceMs, testTimeoutMs } from '../support/patience.ts';

const SIZE = { shops: 60, orders: 100, killEveryMs: 10_000, forMs: 120_000 };

test(
  'three workers share many shops while one after the other is killed: every shop ends equal, and no two write at once',
  { timeout: testTimeoutMs() },
  async () => {
    await using lab = await openLab(
      await freshDatabase(),
      SIZE.shops,
      { orders: SIZE.orders, days: 20, latencyMs: 5 },
      // What came in while a day was read is found soon after.
      { freshness: '*:5s' },
    );
    await startAudit(lab.client);
    const workers = [lab.startWorker(), lab.startWorker(), lab.startWorker()];
    await Promise.all(workers.map(({ url }) => url));
    let kills = 0;
    const end = performance.now() + SIZE.forMs;
    while (performance.now() < end) {
      for (const { simulator } of lab.shops) {
        simulator.shop.insertOrder();
        const [order] = simulator.shop.orders();
        if (order) simulator.shop.editOrder(order.orderId);
      }
      await sleep(SIZE.killEveryMs);
      const index = kills++ % workers.length;
      const victim = workers[index];
      victim?.process.kill('SIGKILL');
      expect((await victim?.outcome)?.signal).toBe('SIGKILL');
      // As an orchestrator would.
      workers[index] = lab.startWorker();
    }
    const deletedFrom = lab.shops[0];
    const doomed = deletedFrom?.simulator.shop.orders().at(-1);
    if (doomed) deletedFrom?.simulator.shop.deleteOrder(doomed.orderId);
    // What a killed worker was about is begun again once it is given up.
    await untilEqual(lab, 2 * patienceMs());
    const report = await auditReport(lab.client);
    process.stdout.write(`${SIZE.shops} shops, ${kills} workers killed: ${JSON.stringify(report)}\n`);
    expect(report.overlapping).toBe(0);
    expect(report.commits).toBeGreaterThan(SIZE.shops);
    expect(report.writers).toBeGreaterThan(1);
    for (const { url } of workers.slice(1)) await url;
  },
);
