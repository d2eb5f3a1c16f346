/** Status codes that the shop invented, or somebody typed a person into: which of them `bi` shows. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { changeCode } from '../../src/warehouse/directory/owner-codes.ts';
import { orderToLoad, SEEN } from '../support/rows.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

/** Whether a code looks like one: Latin letters, digits, `_` and `-`, sixteen at most. */
const CODES: Readonly<Record<string, boolean>> = {
  packed: true,
  Z9: true,
  'to-be_sent-2026x': true,
  'to-be_sent-2026xy': false,
  'two words': false,
  'Ждём Веру': false,
  'ivan@mail.example': false,
  '+49 30 1234567': false,
  Вера: false,
  ä: false,
  a: true,
};

test('a code is shown where it looks like one, and any other by its number, until the owner names it', async () => {
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  const many = Object.entries(CODES).flatMap(([code, isShown]) => Array(isShown ? 1 : 30).fill(code));
  const toLoad = many.map((code: string, at) =>
    orderToLoad(String(at + 1), {
      row: { customer_key: `g:${at}`, status_code: code, pay_status_code: code },
    }),
  );
  await warehouse.load(shopId, toLoad);
  const shown = async (column: 'status_code' | 'pay_status_code') => {
    const rows = await warehouse.rows(
      sql`SELECT DISTINCT ${sql.raw(column)} AS code FROM bi.orders WHERE shop_id = ${shopId}`,
    );
    return new Set(rows.map(({ code }) => String(code)));
  };
  const wanted = Object.entries(CODES).flatMap(([code, isShown]) => (isShown ? [code] : []));
  const numbers = (...left: readonly number[]) => left.map((number) => `#${number}`);
  for (const column of ['status_code', 'pay_status_code'] as const) {
    expect(await shown(column)).toEqual(new Set([...numbers(1, 2, 3, 4, 5, 6, 7), ...wanted]));
  }
  // What the owner classifies or names is a code, whatever it looks like.
  const numberOf = async (code: string) => {
    const rows = await warehouse.rows(sql`
      SELECT code_no FROM core.order_statuses WHERE shop_id = ${shopId} AND status_code = ${code}`);
    return Number(rows[0]?.['code_no']);
  };
  const named = [await numberOf('Ждём Веру'), await numberOf('two words')];
  expect(await changeCode(db, shopId, 'order', `#${named[0]}`, { stage: 'open' })).toBe('Ждём Веру');
  expect(await changeCode(db, shopId, 'order', 'two words', { name: 'Waiting' })).toBe('two words');
  const others = [1, 2, 3, 4, 5, 6, 7].filter((number) => !named.includes(number));
  expect(await shown('status_code')).toEqual(
    new Set([...numbers(...others), 'Ждём Веру', 'two words', ...wanted]),
  );
  expect(await changeCode(db, shopId, 'payment', 'Вера', { name: 'By voucher' })).toBe('Вера');
  expect(await shown('pay_status_code')).toContain('Вера');
  const history = await warehouse.rows(
    sql`SELECT DISTINCT status_code AS code FROM bi.order_history WHERE shop_id = ${shopId}`,
  );
  expect(new Set(history.map(({ code }) => code))).toEqual(await shown('status_code'));
});

test('the past of an order has such numbers too, and codes that held a person', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const steps = [
    { status_code: 'call Vera', pay_status_code: 'by Vera' },
    { status_code: 'packed', pay_status_code: 'Z9' },
    { status_code: 'A', pay_status_code: 'S' },
  ];
  for (const [hours, row] of steps.entries()) {
    const seenAt = SEEN.add({ hours });
    await warehouse.load(
      shopId,
      ['1', '2'].map((id) => orderToLoad(id, { row, seenAt })),
    );
  }
  await warehouse.rows(
    sql`UPDATE core.order_statuses SET name_local = 'Offen' WHERE shop_id = ${shopId} AND status_code = 'A'`,
  );
  // Another code without a number makes no second row of it.
  await warehouse.rows(sql`
    INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
    VALUES (${shopId}, 'ask Boris', 'ask Boris', 'unknown', false, false, false)`);
  await warehouse.rows(sql`
    UPDATE core.order_history SET status_code = '(hidden)', pay_status_code = '(hidden)'
    WHERE shop_id = ${shopId} AND order_id = 2 AND seq = 1`);
  const past = await warehouse.rows(sql`
    SELECT status_code AS code, status, stage, pay_status_code AS pays, pay_status AS way,
      previous_status_code AS was, previous_pay_status_code AS paid
    FROM bi.order_history WHERE shop_id = ${shopId} ORDER BY order_id, seq`);
  const hidden = '(hidden)';
  const toldOf = (first: string) => [
    { code: first, status: first, stage: 'unknown', pays: first, way: first, was: null, paid: null },
    { code: 'packed', status: 'packed', stage: 'unknown', pays: 'Z9', way: 'Z9', was: first, paid: first },
    { code: 'A', status: 'Offen', stage: 'open', pays: 'S', way: 'Not paid', was: 'packed', paid: 'Z9' },
  ];
  expect(past).toEqual([...toldOf('#1'), ...toldOf(hidden)]);
  const periods = await warehouse.rows(sql`
    SELECT status_code AS code, status, stage, next_status_code AS next, next_status
    FROM bi.status_periods WHERE shop_id = ${shopId} ORDER BY order_id, period_no`);
  const livedOf = (told: ReturnType<typeof toldOf>) =>
    told.map(({ code, status, stage }, at) => {
      const { code: next = null, status: next_status = null } = told[at + 1] ?? {};
      return { code, status, stage, next, next_status };
    });
  expect(periods).toEqual([...livedOf(toldOf('#1')), ...livedOf(toldOf(hidden))]);
  // And where an order went on to such a code.
  await warehouse.rows(sql`
    UPDATE core.order_history SET status_code = '(hidden)' WHERE shop_id = ${shopId} AND order_id = 2 AND seq = 2`);
  await warehouse.rows(sql`
    UPDATE core.order_history SET status_code = 'A' WHERE shop_id = ${shopId} AND order_id = 2 AND seq = 1`);
  const [first] = await warehouse.rows(sql`
    SELECT status_code AS code, next_status_code AS next, next_status FROM bi.status_periods
    WHERE shop_id = ${shopId} AND order_id = 2 ORDER BY period_no`);
  expect(first).toEqual({ code: 'A', next: hidden, next_status: hidden });
});
