import { expect, test } from 'vitest';

import { FORCED, idAt } from '../support/copy.ts';
import { answerJson, withFrontedShop } from '../support/rewriting-shop.ts';

/** What PHP shops answer for the content of an order that has no items. */
const NOTHING = [
  '{"ordercontent":null,"success":1}',
  '{"ordercontent":false,"success":1}',
  '{"ordercontent":"","success":1}',
  '{"ordercontent":{},"success":1}',
  '{"ordercontent":null}',
  '{"content":{"ordercontent":false},"success":1}',
  '{"content":null,"success":1}',
  '[]',
  '{}',
  'null',
  'false',
  '""',
  '{"order_id":ID,"message":"Ring twice","ordercontent":[]}',
  '{"order_id":"ID","message":"Ring twice","summ":0,"ordercontent":null}',
  '{"fio":"A","created":"01.02.2026","message":"Ring twice","ordercontent":[]}',
];

test('a content without lines is correct for an order without items, and a failure for one with items', () =>
  withFrontedShop({ orders: 60, days: 6, seed: 21 }, async ({ client, front, simulator, sweep }) => {
    const forms = new Map<number, string>();
    const [empty, sold]: [number[], number[]] = [[], []];
    for (const [at, form] of NOTHING.entries()) {
      const [without, withItems] = [idAt(simulator, 2 * at), idAt(simulator, 2 * at + 1)];
      for (const id of [without, withItems]) forms.set(id, form.replaceAll('ID', String(id)));
      simulator.shop.editOrder(without, { lines: [] });
      const [line] = simulator.shop.orders().flatMap(({ lines }) => lines);
      if (line !== undefined) simulator.shop.editOrder(withItems, { lines: [line] });
      empty.push(without);
      sold.push(withItems);
    }
    front.rewrite = (path, answer) => {
      const form = forms.get(Number(path.replace('orders/', '')));
      if (form !== undefined) answerJson(answer, form);
    };
    const result = await sweep(FORCED);
    expect(result).toMatchObject({ orders_new: 60, days_verified: result.days_due });
    const { rows } = await client.query<{ state: string; ids: string[] }>(
      `SELECT o.lines_state AS state, array_agg(o.order_id ORDER BY o.order_id) AS ids FROM tested.orders o
       WHERE NOT EXISTS (SELECT FROM core.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id)
       GROUP BY 1 ORDER BY 1`,
    );
    const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b).map(String);
    expect(rows).toEqual([
      { state: 'failed', ids: sorted(sold) },
      { state: 'ok', ids: sorted(empty) },
    ]);
    const { rows: said } = await client.query<{ reason: string }>(
      `SELECT DISTINCT reason FROM tested.due WHERE kind = 'lines'`,
    );
    expect(said).toEqual([
      { reason: 'the shop returned empty content for an order that it lists with items' },
    ]);
  }));
