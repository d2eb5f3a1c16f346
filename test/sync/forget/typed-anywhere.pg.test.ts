/** Anybody may mention a person in the free text of their own records. */
import { expect, test } from 'vitest';

import { phoneIdentifiers } from '../../../src/normalize/privacy/identifiers.ts';
import { dumpTables } from '../../support/dump.ts';
import { tracesIn, withForgetLab } from './forget-lab.ts';

const TYPED = 'ask 8 916 555 12 34';
const NOTE = JSON.stringify({ note: { value: TYPED } });
/** Columns into which somebody may type, by table: each holds the person in an order of its own. */
const PLACES: readonly (readonly [table: string, column: string, value: unknown])[] = [
  ...['buyer_name', 'buyer_address', 'comment'].map((column) => ['order_persons', column, TYPED] as const),
  ...['fields', 'rest', 'content_rest'].map((column) => ['order_persons', column, NOTE] as const),
];
/** The same of accounts. */
const OF_ACCOUNTS = [
  ...['name', 'org_name', 'gender', 'address'].map((column) => [column, TYPED] as const),
  ...['images', 'content', 'rest'].map((column) => [column, NOTE] as const),
];

test('a person is taken out of every text of the persons of other orders and accounts', () =>
  withForgetLab(async ({ client, forget, person }) => {
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
    const { rows: accounts } = await client.query<{ user_oid: string }>(
      'SELECT user_oid FROM tested.user_persons WHERE user_oid <> $1 ORDER BY user_oid',
      [person.userOid],
    );
    for (const [at, [column, value]] of OF_ACCOUNTS.entries()) {
      const update = `UPDATE tested.user_persons SET ${column} = $1 WHERE user_oid = $2`;
      const { rowCount } = await client.query(update, [value, accounts[at]?.user_oid]);
      expect([column, rowCount]).toEqual([column, 1]);
    }
    const findHolding = async () => {
      const tables = ['order_persons', 'user_persons'];
      const parts = tables.map(
        (table) =>
          `SELECT DISTINCT '${table} ' || key AS place FROM tested.${table} t, jsonb_each_text(to_jsonb(t)) WHERE value LIKE '%${TYPED}%'`,
      );
      const { rows } = await client.query<{ place: string }>(`${parts.join(' UNION ')} ORDER BY place`);
      return rows.map(({ place }) => place);
    };
    const places = [
      ...PLACES.map(([table, column]) => `${table} ${column}`),
      ...OF_ACCOUNTS.map(([column]) => `user_persons ${column}`),
    ];
    expect(await findHolding()).toEqual(places.toSorted());
    const mentions = PLACES.length + OF_ACCOUNTS.length;
    expect(await forget(phoneIdentifiers(person.phone))).toMatchObject({ mentions });
    expect(await findHolding()).toEqual([]);
    expect(tracesIn(await dumpTables(client), ['9165551234', '555 12 34'])).toEqual([]);
  }));
