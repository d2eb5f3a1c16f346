import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/errors.ts';
import { createShopApi } from '../../../src/shop-api/shop-api.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { inWarehouse, sweepOnce } from '../../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');
const SLOTS = 4;
/** Long enough for everything that was queued to be sent. */
const LATER_MS = 400;

test.each(['order', 'users'] as const)(
  'a login that is refused halfway, at a request for %s, is not retried by queued requests',
  async (route) => {
    await using simulator = await startSimulator({ orders: 120, days: 20, now: NOW, latencyMs: 10 });
    await inWarehouse(async ({ client, db }) => {
      const refused = { from: Number.POSITIVE_INFINITY };
      const off = simulator.requests.onRequest((request) => {
        if (request.route !== route || simulator.requests.count(route) < 10) return;
        off();
        refused.from = simulator.requests.count();
        simulator.faults.failNext(Infinity, 'http-401');
      });
      const through = () =>
        createShopApi({
          baseUrl: simulator.url,
          login: 'admin',
          apiKey: 'simulated-key',
          maxConcurrency: SLOTS,
          maxRps: 100_000,
        });
      const sweep = sweepOnce(simulator, db, { kind: 'backfill' }, {}, { through, now: () => NOW });
      await expect(sweep).rejects.toBeInstanceOf(TerminalError);
      await sleep(LATER_MS);
      // Those in flight as the first was refused, and no others.
      expect(simulator.requests.count() - refused.from).toBeLessThan(2 * SLOTS);
      const { rows } = await client.query('SELECT status FROM tested.runs');
      expect(rows).toEqual([{ status: 'failed' }]);
    });
  },
);
