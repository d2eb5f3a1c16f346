import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { withShop } from '../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');
const SLOTS = 4;
/** An order that nothing else asks for. */
const LAST = '999999999';

test.each(['order', 'users'] as const)(
  'a login that is refused halfway, at a request for %s, is not retried by queued requests',
  (route) =>
    withShop({ orders: 120, days: 20, now: NOW, latencyMs: 10 }, async ({ client, db, simulator }) => {
      let [isRefused, sentThen] = [false, 0];
      simulator.requests.onRequest(({ route: asked, path }) => {
        if (isRefused && !path.includes(LAST)) sentThen += 1;
        if (isRefused || asked !== route || simulator.requests.count(route) < 10) return;
        isRefused = true;
        simulator.faults.failNext(Infinity, 'http-401');
      });
      const sent: ShopApi[] = [];
      const through = (api: ShopApi) => {
        sent.push(api);
        // Folder after folder of groups may be read before a refusal is known.
        return withoutGroups(api);
      };
      const means = { through, now: () => NOW, maxConcurrency: SLOTS };
      const sweep = sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
      await expect(sweep).rejects.toBeInstanceOf(TerminalError);
      // Requests wait in line: when the last ones have had their turn in each slot, so have all.
      const last = sent.flatMap((api) => Array.from({ length: SLOTS }, () => api.orderContent(LAST)));
      expect(last).toHaveLength(SLOTS);
      expect((await Promise.allSettled(last)).map(({ status }) => status)).not.toContain('fulfilled');
      // Those in flight as the first was refused, and no others.
      expect(sentThen).toBeLessThanOrEqual(2 * SLOTS);
      const { rows } = await client.query('SELECT status FROM tested.runs');
      expect(rows).toEqual([{ status: 'failed' }]);
    }),
);
