import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { addReferences } from '../../../src/warehouse/orders/load-orders.ts';
import { listShops, registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { BYSTANDER } from '../../support/bystander.ts';
import { FIRST_STATE } from '../../support/first-state.ts';

const warehouse = fileWarehouse();

const identity = { shopKey: 'main', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
const register = (changes: Partial<typeof identity> = {}) =>
  registerShop(warehouse.db, { ...identity, ...changes }, FIRST_STATE);

const unclassified = (shopId: number) =>
  warehouse.rows(
    sql`SELECT kind, code, orders::int AS orders FROM bi.unclassified_statuses WHERE shop_id = ${shopId} ORDER BY kind, code`,
  );

const LIVE = {
  registeredAt: expect.any(Temporal.Instant),
  retiredAt: undefined,
  pausedAt: undefined,
  deletionStartedAt: undefined,
};

test('a shop is registered once: it is found by its key, and a new address is saved', async () => {
  const shopId = await register();
  expect(await register()).toBe(shopId);
  expect(await register({ baseUrl: 'https://new.example' })).toBe(shopId);
  const other = await register({ shopKey: 'another', timezone: 'UTC' });
  expect(other).not.toBe(shopId);
  expect((await listShops(warehouse.db)).filter(({ shopKey }) => shopKey !== BYSTANDER)).toEqual([
    { ...LIVE, shopId: other, shopKey: 'another', baseUrl: 'https://shop.example', timezone: 'UTC' },
    { ...LIVE, shopId, shopKey: 'main', baseUrl: 'https://new.example', timezone: 'Europe/Berlin' },
  ]);
});

test('another zone is refused, names the stored one, and changes nothing', async () => {
  await register({ shopKey: 'zoned' });
  const moved = register({ shopKey: 'zoned', timezone: 'Europe/Moscow', baseUrl: 'https://new.example' });
  await expect(moved).rejects.toThrow(TerminalError);
  await expect(register({ shopKey: 'zoned', timezone: 'UTC' })).rejects.toThrow(/zoned.*Europe\/Berlin/);
  expect(await listShops(warehouse.db)).toContainEqual(
    expect.objectContaining({ shopKey: 'zoned', timezone: 'Europe/Berlin', baseUrl: 'https://shop.example' }),
  );
});

test('concurrent registrations of one shop get the same one', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => register({ shopKey: 'busy' })));
  expect(new Set(ids).size).toBe(1);
});

test('a new shop knows the documented codes, each with its stage and whether it is a sale, and the guest', async () => {
  const shopId = await register({ shopKey: 'seeded' });
  const statuses = await warehouse.rows(sql`
    SELECT stage, is_sale, is_final, string_agg(status_code, ' ' ORDER BY stage_order) AS codes
    FROM core.order_statuses WHERE shop_id = ${shopId} AND is_documented
    GROUP BY stage, is_sale, is_final ORDER BY min(stage_order)`);
  expect(statuses).toEqual([
    { stage: 'other', is_sale: false, is_final: false, codes: '' },
    { stage: 'draft', is_sale: false, is_final: false, codes: 'U' },
    { stage: 'open', is_sale: true, is_final: false, codes: 'A N G V Z' },
    { stage: 'fulfilment', is_sale: true, is_final: false, codes: 'P S O M' },
    { stage: 'delivered', is_sale: true, is_final: true, codes: 'C Q' },
    { stage: 'cancelled', is_sale: false, is_final: true, codes: 'F' },
    { stage: 'returned', is_sale: false, is_final: true, codes: 'R K' },
  ]);
  const payments = sql`SELECT pay_status_code FROM core.payment_statuses WHERE shop_id = ${shopId} ORDER BY 1`;
  expect((await warehouse.rows(payments)).map((row) => row['pay_status_code'])).toEqual([
    '',
    'FP',
    'HP',
    'S',
  ]);
  expect(await unclassified(shopId)).toEqual([]);
  expect(
    await warehouse.rows(sql`SELECT user_oid, fetch_state FROM core.users WHERE shop_id = ${shopId}`),
  ).toEqual([{ user_oid: '6', fetch_state: 'guest' }]);
});

const code = async (shopId: number, table: string, column: string, value: string) => {
  const where = sql`shop_id = ${shopId} AND ${sql.identifier(column)} = ${value}`;
  const [row] = await warehouse.rows(sql`SELECT * FROM core.${sql.identifier(table)} WHERE ${where}`);
  return row;
};
const add = (shopId: number, ...rows: readonly { status_code: string; pay_status_code: string }[]) =>
  warehouse.write((tx) =>
    addReferences(
      tx,
      shopId,
      rows.map((row) => ({ ...row, buyer_oid: null })),
    ),
  );

test('codes that were documented since a shop was registered are added when it is used again', async () => {
  const shopId = await register({ shopKey: 'older' });
  const documented = () =>
    warehouse.rows(sql`
      SELECT status_code AS code FROM core.order_statuses WHERE shop_id = ${shopId}
      UNION ALL SELECT pay_status_code FROM core.payment_statuses WHERE shop_id = ${shopId} ORDER BY 1`);
  const all = await documented();
  await warehouse.rows(sql`DELETE FROM core.order_statuses WHERE shop_id = ${shopId} AND status_code = 'F'`);
  await warehouse.rows(
    sql`DELETE FROM core.payment_statuses WHERE shop_id = ${shopId} AND pay_status_code = 'S'`,
  );
  await register({ shopKey: 'older' });
  expect(await documented()).toEqual(all);
  // So is its state, without which no run begins.
  await warehouse.rows(sql`DELETE FROM ops.shop_state WHERE shop_id = ${shopId}`);
  await register({ shopKey: 'older' });
  expect(await warehouse.rows(sql`SELECT 1 FROM ops.shop_state WHERE shop_id = ${shopId}`)).toHaveLength(1);
});

test("an analyst's edits survive every registration and every order with that code", async () => {
  const shopId = await register({ shopKey: 'edited' });
  await add(shopId, { status_code: 'own', pay_status_code: 'own' });
  await warehouse.rows(sql`
    UPDATE core.order_statuses SET name = 'Edited', name_local = 'Geändert', stage = 'delivered', stage_order = 99,
      is_sale = true, is_final = true WHERE shop_id = ${shopId} AND status_code IN ('F', 'own')`);
  await warehouse.rows(sql`
    UPDATE core.payment_statuses SET name = 'Edited', name_local = 'Geändert'
    WHERE shop_id = ${shopId} AND pay_status_code IN ('S', 'own')`);
  await register({ shopKey: 'edited' });
  await add(
    shopId,
    { status_code: 'own', pay_status_code: 'own' },
    { status_code: 'F', pay_status_code: 'S' },
  );
  const edited = { name: 'Edited', name_local: 'Geändert' };
  const status = { ...edited, stage: 'delivered', stage_order: 99, is_sale: true, is_final: true };
  expect(await code(shopId, 'order_statuses', 'status_code', 'F')).toMatchObject({
    ...status,
    is_documented: true,
  });
  expect(await code(shopId, 'order_statuses', 'status_code', 'own')).toMatchObject({
    ...status,
    is_documented: false,
  });
  expect(await code(shopId, 'payment_statuses', 'pay_status_code', 'S')).toMatchObject(edited);
  expect(await code(shopId, 'payment_statuses', 'pay_status_code', 'own')).toMatchObject(edited);
});

test("a shop's own code is added as unknown, no sale and not final, to that shop only", async () => {
  const [shopId, other] = [await register({ shopKey: 'inventive' }), await register({ shopKey: 'plain' })];
  const given = { status_code: 'Собран "x"', pay_status_code: 'PP' };
  await add(shopId, given, given, { status_code: 'A', pay_status_code: 'S' });
  expect(await code(shopId, 'order_statuses', 'status_code', given.status_code)).toEqual({
    shop_id: shopId,
    status_code: given.status_code,
    name: given.status_code,
    name_local: null,
    stage: 'unknown',
    stage_order: null,
    is_sale: false,
    is_final: false,
    is_documented: false,
    shown_code: '(hidden)',
    shown_name: '(hidden)',
    code_no: 1,
  });
  expect(await code(shopId, 'payment_statuses', 'pay_status_code', 'PP')).toMatchObject({
    name: 'PP',
    is_documented: false,
  });
  expect(await unclassified(shopId)).toEqual([
    { kind: 'order', code: '#1', orders: 0 },
    { kind: 'payment', code: 'PP', orders: 0 },
  ]);
  expect(await unclassified(other)).toEqual([]);
});

test.each([`stage = 'other'`, 'is_sale = true', `name = 'Mine'`, `name_local = 'Meiner'`])(
  'a code is classified by %s',
  async (change) => {
    const shopId = await register({ shopKey: change });
    await add(shopId, { status_code: 'own', pay_status_code: 'own' });
    const codes = async () => (await unclassified(shopId)).map((row) => row['kind']);
    expect(await codes()).toEqual(['order', 'payment']);
    const set = sql`${sql.raw(change)} WHERE shop_id = ${shopId}`;
    await warehouse.rows(sql`UPDATE core.order_statuses SET ${set} AND status_code = 'own'`);
    expect(await codes()).toEqual(['payment']);
    if (!change.startsWith('name')) return;
    await warehouse.rows(sql`UPDATE core.payment_statuses SET ${set} AND pay_status_code = 'own'`);
    expect(await codes()).toEqual([]);
  },
);
