/** A time budget holds, whatever the shop answers. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import type { EmptyForm } from '../support/empty-forms.ts';
import { answerJson, startRewritingShop } from '../support/rewriting-shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T18:00:00Z');
const BUDGET_S = 60;
/** What is asked to understand the answers to the last window. */
const GRACE_S = 30;

const FAILURES: readonly EmptyForm[] = [
  { name: 'HTTP 500', status: 500, body: '' },
  { name: 'HTTP 422', status: 422, body: '{"message":"no orders"}' },
  { name: 'a page', status: 200, body: '<html>no orders' },
  { name: 'a cut document', status: 200, body: '{"orders":[' },
  { name: 'another shape', status: 200, body: '{"orders":7}' },
  { name: 'HTTP 204', status: 204, body: '' },
];

test.each(FAILURES)(
  'answers to dates are $name, others are well: a sync ends with its budget',
  async (form) => {
    const now = PRESENT.subtract({ hours: 20 * 24 });
    await using simulator = await startSimulator({ orders: 24, days: 4, seed: 3, now });
    await using front = await startRewritingShop(simulator.url);
    const clock = testClock(PRESENT);
    front.rewrite = (path, answer) => {
      // Each request takes a second.
      clock.pass({ seconds: 1 });
      if (path.includes('date_from')) answerJson(answer, form.body, form.status);
    };
    await inWarehouse(async ({ client, db }) => {
      const means = { now: clock.now, through: () => withoutGroups(front.api()) };
      const request = { kind: 'sync', budgetMs: BUDGET_S * 1000 } as const;
      await sweepOnce(simulator, db, request, { countEveryMs: 60_000 }, means).catch(() => undefined);
      expect(clock.now().since(PRESENT).total('seconds')).toBeLessThan(BUDGET_S + GRACE_S);
      expect(await differences(client, simulator.shop, { days: await verifiedDays(client) })).toEqual([]);
    });
  },
);

async function verifiedDays(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE verified_at IS NOT NULL',
  );
  return new Set(rows.map(({ day }) => day));
}
