/** How many orders are enough to learn a relation, or to drop it. */
import { describe, expect, test } from 'vitest';

import { LINE_RELATIONS, type LineFacts, type LineRelation } from '../../../src/model/stored-order.ts';
import { areLinesDoubtful, LineTally } from '../../../src/plan/orders/line-relations.ts';

const text = (cents: number) => (cents / 100).toFixed(2);
const learn = (orders: readonly LineFacts[], known: readonly LineRelation[] = []) =>
  new LineTally().add(orders).learn(known);

describe('how many orders show a relation', () => {
  /** Orders of two pieces a line, whose count is that of their lines but for some, and whose sum is their lines' total. */
  const orders = (
    times: number,
    {
      lines = (index: number) => 1 + (index % 3),
      more = 0,
      fee = 0,
      ...others
    }: Partial<LineFacts> & {
      readonly lines?: (index: number) => number;
      readonly more?: number;
      readonly fee?: number;
    } = {},
  ) =>
    Array.from({ length: times }, (_, index): LineFacts => ({
      item_count: String(lines(index) + more),
      order_sum: text(lines(index) * 1_000 + fee),
      delivery_price: null,
      discount_raw: null,
      discount_percent: null,
      line_count: lines(index),
      quantity: 2 * lines(index),
      lines_total: text(lines(index) * 1_000),
      list_total: text(lines(index) * 1_700),
      ...others,
    }));
  const learnAll = (...parts: readonly (readonly LineFacts[])[]) => learn(parts.flat());

  test('thirty do, with three different figures', () => {
    expect(learnAll(orders(30))).toContain('lines');
    expect(learnAll(orders(29))).not.toContain('lines');
    expect(learnAll(orders(60, { lines: (index) => 1 + (index % 2) }))).not.toContain('lines');
  });

  test('one in ten may break it, in either direction', () => {
    const broken = (short: number, long: number) =>
      learnAll(orders(90), orders(short, { more: 1 }), orders(long, { more: -4 }));
    expect(broken(5, 5)).toContain('lines');
    expect(broken(5, 6)).not.toContain('lines');
    expect(broken(0, 10)).toContain('lines');
    expect(broken(0, 11)).not.toContain('lines');
  });

  test('beside one that nearly all keep, what one in ten breaks is not learned', () => {
    // The sum holds a fee in a few orders: with it, it is the total and the delivery.
    const delivered = orders(96);
    const fees = orders(4, { fee: 300, delivery_price: '3.00' });
    expect(learnAll(delivered, fees)).toContain('total+delivery');
    expect(learnAll(delivered, fees)).not.toContain('total');
    expect(learnAll(delivered, fees), 'its count says nothing of its sum').toContain('lines');
    // Sums that one in ten breaks are learned, though all orders keep a count.
    expect(learnAll(delivered, orders(4, { fee: 300 }))).toEqual(expect.arrayContaining(['lines', 'total']));
  });

  test('orders with as many lines as a shop cuts contents to may have fewer than they should, not more', () => {
    const whole = orders(99);
    const four = (more: number) => orders(40, { lines: () => 4, more });
    expect(learnAll(whole, four(2))).toContain('lines');
    expect(learnAll(whole, four(-1))).not.toContain('lines');
    expect(learnAll(whole, four(2), orders(4, { lines: () => 4, more: -1 }))).toContain('lines');
    expect(learnAll(whole, four(2), orders(5, { lines: () => 4, more: -1 }))).not.toContain('lines');
  });

  test('twenty that keep another one, of ten that break it nine, show that the shop counts otherwise now', () => {
    // Of more orders it would be learned anew, being broken by less than one in ten.
    const changed = (units: number, neither: number) =>
      learn(
        [
          orders(60),
          orders(units, { item_count: '6', lines: () => 3 }),
          orders(neither, { lines: () => 2, more: 9 }),
        ].flat(),
        ['lines'],
      );
    expect(changed(20, 0)).not.toContain('lines');
    expect(changed(19, 0)).toContain('lines');
    expect(changed(27, 3)).not.toContain('lines');
    expect(changed(27, 4)).toContain('lines');
  });

  test('a relation is dropped when more orders break it than keep it, not when as many do', () => {
    const known = (broken: number) =>
      learn([orders(40), orders(broken, { more: 9 })].flat(), ['lines']).includes('lines');
    expect([known(40), known(41)]).toEqual([true, false]);
    expect(learn([], ['lines', 'total']), 'no orders say nothing').toEqual(['lines', 'total']);
  });
});

describe('the discount of a whole order', () => {
  const of = (discount_raw: string | null, discount_percent: string | null, order_sum: string) =>
    areLinesDoubtful(['discounted'], {
      item_count: null,
      order_sum,
      delivery_price: null,
      discount_raw,
      discount_percent,
      line_count: 1,
      quantity: 1,
      lines_total: '200.00',
      list_total: '200.00',
    });

  test('is a part of the sum, or an amount', () => {
    expect([of('10%', '10.00', '180.00'), of('10%', '10.00', '190.00')]).toEqual([false, true]);
    expect([of('10.5', null, '189.50'), of('10,5', null, '189.50')]).toEqual([false, false]);
    expect([of('10,5', null, '210.50'), of('10.5', null, '200.00')]).toEqual([true, true]);
  });

  test('says nothing where it cannot be read', () => {
    expect(of('a present', null, '1.00')).toBe(false);
    expect(of(null, null, '200.00')).toBe(false);
    expect(of(null, null, '201.00')).toBe(true);
  });
});

test('a sum of lines that is not known contradicts nothing', () => {
  const facts: LineFacts = {
    item_count: null,
    order_sum: '210.00',
    delivery_price: '10.00',
    discount_raw: '10%',
    discount_percent: '10.00',
    line_count: 2,
    quantity: 2,
    lines_total: null,
    list_total: null,
  };
  for (const relation of LINE_RELATIONS) expect(areLinesDoubtful([relation], facts), relation).toBe(false);
});
