/** Answers without rows, in every form that shops use: each is the same as an empty list. */
import { expect, test } from 'vitest';

import { unknownProfile } from '../../../../src/shop-api/paging/request-page.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import { learnApi } from '../../../../src/sync/report/learn-api.ts';
import { answerJson } from '../../../support/in-process-shop.ts';
import { everyday, IS_LONG } from '../../../support/long.ts';
import { openShop, PRESENT } from '../../../support/shop.ts';
import { clientOf } from '../../../support/sweep.ts';
import { EMPTY_FORMS, emptyAs, type EmptyForm, PLAIN_EMPTY } from '../../support/empty-forms.ts';

const LAST_ORDER = PRESENT.subtract({ hours: 20 * 24 });

type Shop = { readonly dialect: Partial<Dialect>; readonly pageCap?: number };

const SHOPS: readonly (Shop & { readonly name: string })[] = [
  { name: 'descending', dialect: { listOrder: 'desc', total: 'matches' } },
  { name: 'ascending, capped', dialect: { listOrder: 'asc', total: 'absent' }, pageCap: 10 },
  { name: 'in no order', dialect: { listOrder: 'shuffled', total: 'absent' } },
  { name: 'by id, capped', dialect: { listOrder: 'id-desc', total: 'all' }, pageCap: 7 },
];
/** One of each sort in everyday runs. */
const FORMS = everyday(
  EMPTY_FORMS,
  '200 {"orders":false}',
  '204',
  '400',
  '404 with a page',
  '200 null',
  '200 {}',
  '200 "no',
);
const CASES = FORMS.flatMap((form, index) =>
  SHOPS.filter((_shop, at) => IS_LONG || at === index % SHOPS.length).map((shop) => ({ form, shop })),
);

/** No order in the last 20 days. */
const QUIET = { orders: 24, days: 4, seed: 3, now: LAST_ORDER };

/** Loads a quiet shop and syncs it two days later. @returns what the two took, in list requests */
async function loadAndSync({ dialect, pageCap }: Shop, form: EmptyForm): Promise<readonly number[]> {
  const options = { ...QUIET, dialect, ...(pageCap !== undefined && { pageCap }) };
  const { clock, differences, front, simulator, sweep } = await openShop(options);
  clock.pass({ hours: 20 * 24 });
  front.rewrite = emptyAs(form);
  const taken: number[] = [];
  for (const kind of ['backfill', 'sync'] as const) {
    simulator.requests.reset();
    expect(await sweep({ kind })).toMatchObject({ status: 'ok', problems: [] });
    expect(await differences()).toEqual([]);
    taken.push(simulator.requests.count('orders'));
    clock.pass({ hours: 48 });
  }
  return taken;
}

test.each(CASES)(
  '$form.name instead of no orders, $shop.name, costs as much as an empty list',
  async (given) => {
    const [load = 0, sync = 0] = await loadAndSync(given.shop, PLAIN_EMPTY);
    const [ownLoad = 0, ownSync = 0] = await loadAndSync(given.shop, given.form);
    // And a request to learn how the shop says that there are none.
    expect([load, load + 1]).toContain(ownLoad);
    expect([sync, sync + 1]).toContain(ownSync);
  },
);

test.each(FORMS)('$name from a shop without orders is reported, with its form', async (form) => {
  const { front, simulator, sweep } = await openShop({ orders: 0 });
  front.rewrite = emptyAs(form);
  const isList = form.body.includes('{}}');
  const today = Temporal.PlainDate.from('2026-03-10');
  const zone = { timezone: 'Europe/Berlin' };
  const found = await learnApi(
    clientOf(simulator),
    zone,
    unknownProfile(500),
    today,
    new AbortController().signal,
  );
  expect(found.emptyForm === undefined).toBe(isList);
  expect(found.emptyForm ?? '').not.toContain('Ivanov');
  const swept = await sweep({ kind: 'sync' });
  expect(swept).toMatchObject({ status: 'partial', days_verified: 0 });
  const how = isList ? '' : `, and answers with ${found.emptyForm}`;
  expect(swept.problems.join()).toContain(`the shop lists no orders at all${how};`);
});

test.each([
  ['false', false],
  ['null', false],
  ['{"orders":false}', false],
  ['', false],
  ['{"message":"sorry"}', false],
  ['null', true],
])('if one order makes the whole page %s, the others are read', async (body, isFirst) => {
  const made = { orders: 60, days: 6, seed: 21 };
  const { clock, differences, front, rows, shop, sweep } = await openShop(made);
  const ids = shop.orders().map(({ orderId }) => orderId);
  const bad = ids[isFirst ? ids.length - 1 : 30] ?? 0;
  front.rewrite = (path, answer) => {
    if (path.startsWith('orders?') && answer.body.toString().includes(`"order_id":${bad},`))
      answerJson(answer, body);
  };
  for (let times = 0; times < 2; times++) {
    expect(await sweep()).toMatchObject({ status: 'partial' });
    const stored = (await rows('SELECT order_id AS id FROM tested.orders')).map(({ id }) => Number(id));
    expect(new Set(stored)).toEqual(new Set(ids.filter((id) => id !== bad)));
    const open = await rows('SELECT FROM tested.days WHERE orders_seen IS NOT NULL AND verified_at IS NULL');
    expect(open.length).toBeLessThanOrEqual(1);
    clock.pass({ hours: 1 });
  }
  front.rewrite = undefined;
  clock.pass({ hours: 30 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test.each([...FORMS.filter(({ status }) => status !== 404), PLAIN_EMPTY])(
  'a limit that is too high, answered with $name, is replaced by the documented one',
  async (form) => {
    const { differences, front, sweep } = await openShop({ orders: 304, days: 30, seed: 5 });
    front.rewrite = (path, answer) => {
      if (path.startsWith('orders?') && Number(/limit=(\d+)/.exec(path)?.[1]) > 100)
        answerJson(answer, form.body, form.status);
    };
    expect(await sweep()).toMatchObject({ status: 'ok', problems: [], orders_new: 304 });
    expect(await differences()).toEqual([]);
  },
);
