import { expect, test } from 'vitest';

import { watchLists } from '../../../support/list-requests.ts';
import { sweepOnce, testClock, withoutGroups } from '../../../support/sweep.ts';
import { withShop } from '../../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test('a shop whose total is not known to count what matches is asked for no counts', async () => {
  const clock = testClock(NOW);
  await withShop({ orders: 60, days: 30, now: NOW }, async ({ client, db, simulator }) => {
    const counts = async () => {
      const watched = watchLists(simulator.requests);
      clock.pass({ minutes: 1 });
      const means = { now: clock.now, through: withoutGroups };
      await sweepOnce(simulator, db, { kind: 'sync' }, { countEveryMs: 60_000 }, means);
      return watched.filter(({ limit }) => limit === 1).length;
    };
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: clock.now, through: withoutGroups });
    expect(await counts()).toBeGreaterThan(0);
    for (const meaning of ['unknown', 'other']) {
      simulator.shop.setDialect({ total: 'absent' });
      await client.query(
        "UPDATE tested.shop_state SET memory = jsonb_set(memory - 'counts', '{profile,totalMeaning}', to_jsonb($1::text))",
        [meaning],
      );
      expect(await counts(), meaning).toBe(0);
    }
  });
});
