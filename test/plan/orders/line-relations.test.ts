import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { LINE_RELATIONS, type LineFacts, type LineRelation } from '../../../src/model/stored-order.ts';
import { areLinesDoubtful, LineTally } from '../../../src/plan/orders/line-relations.ts';

type Line = { readonly quantity: number; readonly cents: number; readonly listCents: number };
type Basket = { readonly lines: readonly Line[]; readonly delivery: number; readonly discount: number };

const line = fc
  .record({
    quantity: fc.integer({ min: 1, max: 9 }),
    cents: fc.integer({ min: 500, max: 90_000 }),
    off: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ quantity, cents, off }): Line => ({ quantity, cents, listCents: cents + off * 150 }));
const basket = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 6 }),
  delivery: fc.integer({ min: 100, max: 900 }),
  discount: fc.constantFrom(0, 0, 0, 5, 10),
});
const shop = (orders: number) => fc.array(basket, { minLength: orders, maxLength: orders + 60 });
const add = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
const text = (cents: number) => (cents / 100).toFixed(2);

/** The header of a basket by a count and a sum relation, beside lines that need not be its own. */
function facts(of: readonly LineRelation[], real: Basket, served: readonly Line[] = real.lines): LineFacts {
  const [count, sum] = [
    of.find((name) => name === 'lines' || name === 'units'),
    of.find((name) => /^(total|disc|list)/.test(name)),
  ];
  const total = add(real.lines.map(({ cents }) => cents));
  const bases = {
    total,
    list: add(real.lines.map(({ listCents }) => listCents)),
    discounted: Math.round((total * (100 - real.discount)) / 100),
  };
  const base = bases[(sum?.split('+')[0] ?? 'total') as keyof typeof bases];
  return {
    item_count:
      count === undefined
        ? null
        : count === 'lines'
          ? String(real.lines.length)
          : String(add(real.lines.map(({ quantity }) => quantity))),
    order_sum: sum === undefined ? null : text(base + (sum.endsWith('delivery') ? real.delivery : 0)),
    delivery_price: text(real.delivery),
    discount_raw: real.discount === 0 ? null : `${real.discount}%`,
    discount_percent: real.discount === 0 ? null : `${real.discount}.00`,
    line_count: served.length,
    quantity: add(served.map(({ quantity }) => quantity)),
    lines_total: served.length === 0 ? null : text(add(served.map(({ cents }) => cents))),
    list_total: served.length === 0 ? null : text(add(served.map(({ listCents }) => listCents))),
  };
}
const learn = (orders: readonly LineFacts[], known: readonly LineRelation[] = []) =>
  new LineTally().add(orders).learn(known);

describe('a relation that all orders of a shop keep', () => {
  test.each(LINE_RELATIONS)('%s is learned, and its orders do not contradict it', (relation) => {
    fc.assert(
      fc.property(shop(60), (baskets) => {
        const orders = baskets.map((real) => facts([relation], real));
        const known = learn(orders);
        expect(known).toContain(relation);
        expect(orders.some((order) => areLinesDoubtful(known, order))).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  test('is learned although one order in fifteen has other lines, which contradict it', () => {
    fc.assert(
      fc.property(shop(60), (baskets) => {
        const orders = baskets.map((real) => facts(['units', 'total+delivery'], real));
        const edited = orders.slice(0, 4).map((order): LineFacts => ({ ...order, item_count: '99' }));
        const known = learn([...orders.slice(4), ...edited]);
        expect(known).toEqual(expect.arrayContaining(['units', 'total+delivery']));
        expect(edited.every((order) => areLinesDoubtful(known, order))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('shows lines that are missing, whatever the order holds', () => {
    fc.assert(
      fc.property(basket, fc.constantFrom(...LINE_RELATIONS), fc.nat(5), (real, relation, kept) => {
        fc.pre(kept > 0 && kept < real.lines.length);
        expect(areLinesDoubtful([relation], facts([relation], real, real.lines.slice(0, kept)))).toBe(true);
      }),
    );
  });
});

test('relations that no order tells apart are both learned, and an order contradicts them only together', () => {
  const single = Array.from({ length: 40 }, (_, index) => ({
    lines: Array.from({ length: 1 + (index % 4) }, () => ({ quantity: 1, cents: 1_000, listCents: 1_000 })),
    delivery: 0,
    discount: 0,
  }));
  const known = learn(single.map((real) => facts(['units', 'total'], real)));
  expect(known).toEqual(LINE_RELATIONS);
  const two = { ...single[0], lines: [{ quantity: 2, cents: 1_000, listCents: 1_000 }] } as Basket;
  expect(areLinesDoubtful(known, facts(['units'], two)), 'it keeps one').toBe(false);
  expect(areLinesDoubtful(known, { ...facts(['units'], two), item_count: '3' })).toBe(true);
});

test('an order without a line contradicts nothing', () => {
  const two: Basket = { lines: [{ quantity: 2, cents: 700, listCents: 700 }], delivery: 100, discount: 0 };
  for (const relation of LINE_RELATIONS)
    expect(areLinesDoubtful([relation], facts([relation], two, [])), relation).toBe(false);
});

describe('nothing is learned', () => {
  const two: Basket = { lines: [{ quantity: 2, cents: 700, listCents: 700 }], delivery: 0, discount: 0 };
  test('from few orders, or from one figure in all of them', () => {
    fc.assert(
      fc.property(fc.array(basket, { maxLength: 29 }), (baskets) => {
        expect(learn(baskets.map((real) => facts(['units', 'total'], real)))).toEqual([]);
      }),
    );
    expect(learn(Array.from({ length: 500 }, () => facts(['units', 'total'], two)))).toEqual([]);
  });

  test('from figures that have nothing to do with the lines', () => {
    fc.assert(
      fc.property(shop(60), fc.infiniteStream(fc.nat(100_000)), (baskets, numbers) => {
        const orders = baskets.map((real): LineFacts => {
          const [count, sum] = [numbers.next().value ?? 0, numbers.next().value ?? 0];
          return { ...facts([], real), item_count: String(count % 40), order_sum: text(sum) };
        });
        const known = learn(orders);
        expect(known).toEqual([]);
        expect(orders.some((order) => areLinesDoubtful(known, order))).toBe(false);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a shop that serves contents cut', () => {
  test('to two lines or more is learned all the same, from the orders that it cannot have cut', () => {
    fc.assert(
      fc.property(shop(400), fc.integer({ min: 2, max: 4 }), (baskets, cut) => {
        const orders = baskets.map((real) =>
          facts(['units', 'total+delivery'], real, real.lines.slice(0, cut)),
        );
        const known = learn(orders);
        expect(known).toEqual(expect.arrayContaining(['units', 'total+delivery']));
        expect(orders.map((order) => areLinesDoubtful(known, order))).toEqual(
          baskets.map((real) => real.lines.length > cut),
        );
      }),
      { numRuns: 10 },
    );
  });

  test('for a while, is not forgotten, up to half of the orders', () => {
    fc.assert(
      fc.property(shop(100), fc.integer({ min: 1, max: 4 }), (baskets, cut) => {
        const half = baskets.length / 2;
        const orders = baskets.map((real, index) =>
          facts(['units', 'total+delivery'], real, index < half ? real.lines : real.lines.slice(0, cut)),
        );
        expect(learn(orders, ['units', 'total+delivery'])).toEqual(
          expect.arrayContaining(['units', 'total+delivery']),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('a shop that counts otherwise from now on', () => {
  const changed = (from: LineRelation, to: LineRelation, part: number) =>
    fc.property(shop(120), (baskets) => {
      const orders = baskets.map((real, index) => facts([index < baskets.length * part ? to : from], real));
      expect(learn(orders, [from])).not.toContain(from);
    });
  test('loses the relation as soon as some tens of orders show another one', () => {
    fc.assert(changed('lines', 'units', 0.4), { numRuns: 20 });
    fc.assert(changed('total', 'total+delivery', 0.4), { numRuns: 20 });
  });

  test('loses it when most orders break it, even if they keep no other', () => {
    fc.assert(
      fc.property(shop(120), (baskets) => {
        const fee = (index: number) => (index < baskets.length * 0.6 ? 5_000 + 317 * index : 0);
        const orders = baskets.map((real, index) => {
          const order = facts(['total+delivery'], real);
          return { ...order, order_sum: text(Number(order.order_sum) * 100 + fee(index)) };
        });
        expect(learn(orders, ['total+delivery'])).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

test('sums may be off by a cent for each line, and by no more; counts by nothing', () => {
  const three = [1_000, 2_000, 3_000].map((cents): Line => ({ quantity: 2, cents, listCents: cents }));
  const order = facts(['units', 'total'], { lines: three, delivery: 0, discount: 0 });
  const isDoubtful = (relation: LineRelation, changed: Partial<LineFacts>) =>
    areLinesDoubtful([relation], { ...order, ...changed });
  expect(['59.97', '60.03'].map((order_sum) => isDoubtful('total', { order_sum }))).toEqual([false, false]);
  expect(['59.96', '60.04'].map((order_sum) => isDoubtful('total', { order_sum }))).toEqual([true, true]);
  expect(['5', '6.000', '7'].map((item_count) => isDoubtful('units', { item_count }))).toEqual([
    true,
    false,
    true,
  ]);
});

test('a relation that was known stays while most orders keep it, whatever other figures those keep that break it', () => {
  const orders = (times: number, itemCount: number, lines: number, sum: string | null = null) =>
    Array.from({ length: times }, (): LineFacts => ({
      item_count: String(itemCount),
      order_sum: sum,
      delivery_price: '1.00',
      discount_raw: null,
      discount_percent: null,
      line_count: lines,
      quantity: 2 * lines,
      lines_total: text(lines * 1_000),
      list_total: text(lines * 1_100),
    }));
  const of = (...parts: readonly (readonly LineFacts[])[]) => learn(parts.flat(), ['lines']);
  expect(of(orders(31, 3, 3), orders(15, 3, 2), orders(15, 3, 4))).toContain('lines');
  expect(of(orders(29, 3, 3), orders(15, 3, 2), orders(15, 3, 4))).not.toContain('lines');
  expect(of(orders(200, 3, 3), orders(90, 9, 3, text(3_000)))).toContain('lines');
  expect(of(orders(200, 3, 3), orders(20, 6, 3), orders(10, 3, 4))).toContain('lines');
  // Those that count units instead show that the shop does now.
  expect(of(orders(200, 3, 3), orders(90, 6, 3))).not.toContain('lines');
});
