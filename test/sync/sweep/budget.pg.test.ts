/** A time budget holds, whatever the shop answers. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import type { EmptyForm } from '../support/empty-forms.ts';
import { answerJson, startRewritingShop } from '../support/rewriting-shop.ts';
import { PRESENT } from '../../support/shop.ts';

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

/** From then on what was begun is given up. */
const OVERDUE_S = BUDGET_S + 120;

test.each([
  ['lists', /^orders\?.*date_from/],
  ['contents', /^orders\/\d/],
  ['users', /^users/],
  ['groups', /^groups/],
])('%s are never answered: a sync ends with its budget, and the next one goes on', async (what, silent) => {
  await using simulator = await startSimulator({ orders: 60, days: 6, seed: 3, now: PRESENT });
  await using front = await startRewritingShop(simulator.url);
  const clock = testClock(PRESENT);
  let answered = 0;
  front.rewrite = async (path) => {
    if (!silent.test(path)) return;
    // Half of the contents come in time.
    if (what === 'contents' && ++answered <= 30) return;
    clock.pass({ seconds: OVERDUE_S });
    await new Promise(() => undefined);
  };
  await inWarehouse(async ({ client, db }) => {
    const means = { now: clock.now, through: () => front.api() };
    const request = { kind: 'sync', budgetMs: BUDGET_S * 1000 } as const;
    const swept = await sweepOnce(simulator, db, request, {}, means);
    expect(swept).toMatchObject({ status: 'partial', is_cut: true });
    expect(swept.problems[0]).toMatch(/^the time budget ran out before the shop had answered;/);
    expect(await differences(client, simulator.shop, { days: await verifiedDays(client) })).toEqual([]);
    front.rewrite = () => undefined;
    const before = front.asked.length;
    expect(await sweepOnce(simulator, db, request, {}, means)).toMatchObject({ status: 'ok' });
    expect(await differences(client, simulator.shop)).toEqual([]);
    // What was stored is not asked for again.
    const contents = front.asked.slice(before).filter((path) => /^orders\/\d/.test(path));
    if (what === 'contents') expect(contents.length).toBeLessThan(45);
  });
});

async function verifiedDays(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE verified_at IS NOT NULL',
  );
  return new Set(rows.map(({ day }) => day));
}
