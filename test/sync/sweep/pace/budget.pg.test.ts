/** A time budget holds, whatever the shop answers. */
import { expect, test } from 'vitest';

import { answerJson } from '../../../support/in-process-shop.ts';
import { daysThatAre, openShop, PRESENT } from '../../../support/shop.ts';
import type { EmptyForm } from '../../support/empty-forms.ts';

const BUDGET_S = 60;
const REQUEST = { kind: 'sync', budgetMs: BUDGET_S * 1000 } as const;
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

test.each(FAILURES)('if answers to dated requests are $name, a sync ends with its budget', async (form) => {
  const now = PRESENT.subtract({ hours: 20 * 24 });
  const { client, clock, differences, front, sweep } = await openShop({
    orders: 24,
    days: 4,
    seed: 3,
    now,
  });
  clock.pass({ hours: 20 * 24 });
  front.rewrite = (path, answer) => {
    // Each request takes a second.
    clock.pass({ seconds: 1 });
    if (path.includes('date_from')) answerJson(answer, form.body, form.status);
  };
  await sweep(REQUEST, { countEveryMs: 60_000 }).catch(() => undefined);
  expect(clock.now().since(PRESENT).total('seconds')).toBeLessThan(BUDGET_S + GRACE_S);
  const days = new Set(await daysThatAre('verified', client));
  expect(await differences({ days })).toEqual([]);
});

/** From then on what was begun is given up. */
const OVERDUE_S = BUDGET_S + 120;

test.each([
  ['lists', /^orders\?.*date_from/],
  ['contents', /^orders\/\d/],
  ['users', /^users/],
  ['groups', /^groups/],
])(
  'if %s are never answered, a sync ends with its budget, and the next one continues',
  async (what, silent) => {
    const { client, clock, differences, front, ...ground } = await openShop({ orders: 60, days: 6, seed: 3 });
    const sweep = () => ground.sweep(REQUEST, {}, { through: (api) => api });
    let answered = 0;
    front.rewrite = async (path) => {
      if (!silent.test(path)) return;
      // Half of the contents come in time.
      if (what === 'contents' && ++answered <= 30) return;
      clock.pass({ seconds: OVERDUE_S });
      await new Promise(() => undefined);
    };
    const swept = await sweep();
    expect(swept).toMatchObject({ status: 'partial', is_cut: true });
    expect(swept.problems[0]).toMatch(/^the time budget ran out before the shop had answered;/);
    const days = new Set(await daysThatAre('verified', client));
    expect(await differences({ days })).toEqual([]);
    front.rewrite = undefined;
    const before = front.asked.length;
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await differences()).toEqual([]);
    // What was stored is not asked for again.
    const contents = front.asked.slice(before).filter((path) => /^orders\/\d/.test(path));
    if (what === 'contents') expect(contents.length).toBeLessThan(45);
  },
);
