import { Client } from 'pg';
import { expect, test, vi } from 'vitest';

import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inOwnWarehouse, sweepOnce, testClock } from '../../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test('a sweep with nothing due runs 21 statements, and one of an idle minute 29', async () => {
  await using simulator = makeShopInProcess({ orders: 60, days: 30, now: NOW });
  await inOwnWarehouse(async ({ db }) => {
    const clock = testClock(NOW);
    const sent = vi.spyOn(Client.prototype, 'query');
    const statements = async () => {
      sent.mockClear();
      const result = await sweepOnce(
        simulator,
        db,
        { kind: 'sync' },
        {},
        { now: clock.now, refreshesSummaries: true },
      );
      expect(result).toMatchObject({ status: 'ok' });
      clock.pass({ seconds: 10 });
      return sent.mock.calls.length;
    };
    try {
      await statements();
      expect(await statements()).toBe(21);
      expect(await statements()).toBe(21);
      clock.pass({ minutes: 1 });
      expect(await statements()).toBe(29);
    } finally {
      sent.mockRestore();
    }
  });
});
