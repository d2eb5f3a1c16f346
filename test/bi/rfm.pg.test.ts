/** Scores of customers who are few, or alike. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { OF_TESTED, fileWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import { viewRows } from '../support/view-rows.ts';

const warehouse = fileWarehouse();
let shops = 0;

type Given = Parameters<typeof order>[0];

/** What a shop with these orders tells of its customers, in the order of their keys. */
async function scores(given: readonly Given[]) {
  shops += 1;
  const shopId = await loadShop(warehouse.db, `rfm-${shops}`, given.map(order));
  const which = sql`shop_id = ${shopId} ORDER BY customer_key, currency`;
  const rows = await viewRows(warehouse.db, 'bi.customer_rfm', which);
  return rows.map(({ customer_key, rfm_score, segment }) => [customer_key, rfm_score, segment]);
}

const times = (count: number, given: Given): readonly Given[] => Array.from({ length: count }, () => given);
/** Five customers, `u:1` the first of them. */
const five = (given: (nth: number) => readonly Given[]) =>
  [1, 2, 3, 4, 5].flatMap((nth) => given(nth).map((one) => ({ ...one, customer: `u:${nth}` })));

test('where there are too few to compare with, nobody is scored, and a good customer is not called lost', async () => {
  const alone = times(115, { customer: 'u:9', currency: 'KZT' });
  const four = five((nth) => (nth === 5 ? [] : times(nth, { currency: 'USD' })));
  const told = await scores([...alone, ...four]);
  expect(told).toHaveLength(5);
  expect(told.filter(([, score, segment]) => score !== null || segment !== null)).toEqual([]);
  const scored = sql`${OF_TESTED} AND num_nonnulls(recency_score, frequency_score, monetary_score) > 0`;
  expect(await viewRows(warehouse.db, 'bi.customer_rfm', scored)).toEqual([]);
});

test('five that differ in everything have one score each', async () => {
  const told = await scores(five((nth) => times(nth, { day: `2026-03-0${nth}` })));
  expect(told).toEqual([
    ['u:1', '111', 'lost'],
    ['u:2', '222', 'hibernating'],
    ['u:3', '333', 'loyal'],
    ['u:4', '444', 'champions'],
    ['u:5', '555', 'champions'],
  ]);
});

test('a customer without a dated sale bought longest ago of all', async () => {
  const told = await scores(five((nth) => times(nth, { day: nth === 1 ? null : `2026-03-0${nth}` })));
  expect(told.map(([, score]) => score)).toEqual(['111', '222', '333', '444', '555']);
});

test('equals share the best of their scores, in days, sales and money', async () => {
  expect(new Set((await scores(five(() => times(2, {})))).map(([, score]) => score))).toEqual(
    new Set(['555']),
  );
  const told = await scores(
    five((nth) => [
      { cents: nth < 3 ? 100 : 900, day: nth === 5 ? '2026-03-02' : '2026-03-01' },
      { cents: 0, day: '2026-02-01' },
    ]),
  );
  expect(told.map(([, score]) => score)).toEqual(['452', '452', '455', '455', '555']);
});

test('frequency is scored among returning customers, so that two sales are not frequent if others have more', async () => {
  const once = Array.from({ length: 20 }, (_none, nth) => ({ customer: `u:${100 + nth}` }));
  const told = await scores([...once, ...five((nth) => times(nth < 4 ? 2 : nth, {}))]);
  const frequency = (oid: number) => String(told.find(([key]) => key === `u:${oid}`)?.[1]).charAt(1);
  expect([100, 1, 2, 3, 4, 5].map(frequency)).toEqual(['1', '3', '3', '3', '4', '5']);
  const allCameBack = await scores(five((nth) => times(nth + 1, {})));
  expect(allCameBack[0], 'nobody who came back is new').toEqual(['u:1', '511', 'promising']);
});

test('customers without a sum count among the others as those who paid nothing, and those without a currency among their like', async () => {
  const sums = [null, null, 100, 200, 300];
  for (const currency of ['EUR', null]) {
    const told = await scores(five((nth) => [{ currency, cents: sums[nth - 1] ?? null }]));
    expect(told.map(([, score]) => String(score).charAt(2))).toEqual(['2', '2', '3', '4', '5']);
  }
});

test('who bought often and long ago is at risk, and the most frequent cannot be lost', async () => {
  const days = [3, 4, 1, 2, 5];
  const told = await scores(five((nth) => times(nth, { day: `2026-03-0${days[nth - 1]}` })));
  expect(told).toEqual([
    ['u:1', '311', 'needs attention'],
    ['u:2', '422', 'promising'],
    ['u:3', '133', 'at risk'],
    ['u:4', '244', 'cannot lose'],
    ['u:5', '555', 'champions'],
  ]);
});

test('one sale is never often, and an unknown day never recent, however many share them', async () => {
  expect(new Set((await scores(five(() => [{}]))).map(([, , segment]) => segment))).toEqual(new Set(['new']));
  const undated = await scores(five(() => times(2, { day: null })));
  expect(new Set(undated.map(([, score]) => score))).toEqual(new Set(['155']));
});
