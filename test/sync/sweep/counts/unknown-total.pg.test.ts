import { expect, test } from 'vitest';

import { watchLists } from '../../../support/list-requests.ts';
import { withShop } from '../../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test('a shop whose total is not known to count matching orders gets no count requests', () =>
  withShop({ orders: 60, days: 30, now: NOW }, async ({ client, clock, simulator, sweep }) => {
    const counts = async () => {
      const watched = watchLists(simulator.requests);
      clock.pass({ minutes: 1 });
      await sweep({ kind: 'sync' }, { countEveryMs: 60_000 });
      return watched.filter(({ limit }) => limit === 1).length;
    };
    await sweep();
    expect(await counts()).toBeGreaterThan(0);
    for (const meaning of ['unknown', 'other']) {
      simulator.shop.setDialect({ total: 'absent' });
      await client.query(
        "UPDATE tested.shop_state SET memory = jsonb_set(memory - 'counts', '{profile,totalMeaning}', to_jsonb($1::text))",
        [meaning],
      );
      expect(await counts(), meaning).toBe(0);
    }
  }));
