/** Staff may type a person into any record of somebody else. */
import { expect, test } from 'vitest';

import { phoneIdentifiers } from '../../../src/normalize/privacy/identifiers.ts';
import { dumpTables } from '../../support/dump.ts';
import { tracesIn, withForgetLab } from './forget-lab.ts';

const TYPED = 'ask 8 916 555 12 34';
/** Columns that staff may fill, by table: each holds the person in an order of its own. */
const PLACES: readonly (readonly [table: string, column: string, value: unknown])[] = [
  ...['color', 'currency', 'pay_method', 'discount_raw', 'delivery_name', 'order_hash'].map(
    (column) => ['orders', column, TYPED] as const,
  ),
  ...['status_code', 'pay_status_code'].flatMap(
    (column) =>
      [
        ['orders', column, TYPED],
        ['order_history', column, `${TYPED}, formerly`],
      ] as const,
  ),
  ...['code', 'product_name', 'sku', 'discount_raw'].map((column) => ['order_lines', column, TYPED] as const),
  ...['buyer_name', 'buyer_address', 'comment'].map((column) => ['order_persons', column, TYPED] as const),
  ...['fields', 'rest', 'content_rest'].map(
    (column) => ['order_persons', column, JSON.stringify({ note: { value: TYPED } })] as const,
  ),
];

test('a person is taken out of every column of other orders into which staff may type', async () => {
  await withForgetLab(async ({ client, forget, person }) => {
    await client.query(
      `INSERT INTO tested.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
       SELECT shop_id, '${TYPED}', '${TYPED}', 'unknown', false, false, false FROM tested.shops`,
    );
    await client.query(
      `INSERT INTO tested.payment_statuses (shop_id, pay_status_code, name, is_documented)
       SELECT shop_id, '${TYPED}', '${TYPED}', false FROM tested.shops`,
    );
    const { rows: others } = await client.query<{ order_id: string }>(
      `SELECT order_id FROM tested.order_lines JOIN tested.order_persons USING (order_id)
       WHERE line_no = 1 AND order_id <> ALL ($1) ORDER BY order_id`,
      [person.orders],
    );
    for (const [at, [table, column, value]] of PLACES.entries()) {
      const { rowCount } = await client.query(
        `UPDATE tested.${table} SET ${column} = $1 WHERE order_id = $2`,
        [value, others[at]?.order_id],
      );
      expect([table, column, rowCount]).toEqual([table, column, expect.any(Number)]);
      expect(rowCount).toBeGreaterThan(0);
    }
    const findHolding = async () => {
      const tables = ['orders', 'order_history', 'order_lines', 'order_persons'];
      const parts = tables.map(
        (table) =>
          `SELECT DISTINCT '${table} ' || key AS place FROM tested.${table} t, jsonb_each_text(to_jsonb(t)) WHERE value LIKE '%${TYPED}%'`,
      );
      const { rows } = await client.query<{ place: string }>(`${parts.join(' UNION ')} ORDER BY place`);
      return rows.map(({ place }) => place);
    };
    const places = PLACES.map(([table, column]) => `${table} ${column}`);
    expect(await findHolding()).toEqual(places.toSorted());
    await forget(phoneIdentifiers(person.phone));
    expect(await findHolding()).toEqual([]);
    expect(tracesIn(await dumpTables(client), ['9165551234', '555 12 34'])).toEqual([]);
  });
});
