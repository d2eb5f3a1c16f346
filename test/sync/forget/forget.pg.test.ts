import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import {
  emailIdentifier,
  type Identifier,
  phoneIdentifiers,
} from '../../../src/normalize/privacy/identifiers.ts';
import { dumpTables } from '../../support/dump.ts';
import { IS_LONG } from '../../support/long.ts';
import { FORCED } from '../../support/shop.ts';
import { verifyOnce } from '../../support/sweep.ts';
import { type ForgetLab, readFigures, tracesIn, openForgetLab } from './forget-lab.ts';

const BY: Readonly<Record<string, (person: ForgetLab['person']) => readonly Identifier[]>> = {
  'e-mail': ({ email }) => [emailIdentifier(email)].flatMap((one) => one ?? []),
  phone: ({ phone }) => phoneIdentifiers(phone),
  'user id': ({ userOid }) => [{ kind: 'user', value: userOid }],
};

// By the number of the account, and by phone, persons are forgotten below.
test.for(IS_LONG ? Object.keys(BY) : ['e-mail'])(
  'a person forgotten by %s is in no table, not even after backfill, replay and audit, and no figure changes',
  async (by) => {
    const lab = await openForgetLab();
    const { client, forget, person, replay, rows, sweep } = lab;
    const given = BY[by]?.(person) ?? [];
    // A sweep keeps the names of fields that it does not know, and one of them may be a person's.
    await client.query(
      `INSERT INTO tested.payload_fields (shop_id, resource, field, is_new)
         SELECT shop_id, 'order', 'Подколёсин', false FROM tested.shops`,
    );
    expect(tracesIn(await dumpTables(client), person.traces)).toEqual(person.traces);
    const marts = await readFigures(client);
    const unread = `SELECT field FROM tested.rejections WHERE resource = 'order' AND resolved_at IS NULL ORDER BY 1`;
    const open = await rows(unread);
    expect(open).toContainEqual({ field: 'summ' });

    expect(await forget(given)).toMatchObject({
      status: 'ok',
      accounts: 1,
      shared: 0,
      orders: person.orders.length,
      mentions: 1,
    });
    await expectForgotten(lab, marts);

    const again = await sweep(FORCED);
    expect(again).toMatchObject({ orders_changed: 0, content_requests: 0 });
    await expectForgotten(lab, marts);
    expect(await replay()).toMatchObject({ status: 'ok', orders_changed: 0, orders_added: 0 });
    await expectForgotten(lab, marts);
    expect(await rows(unread), 'what was left out is as unreadable as it was').toEqual(open);
  },
);

test('the number of an account that never existed is remembered, but not counted as erased', async () => {
  const { forget, person } = await openForgetLab();
  const nobody = await forget([{ kind: 'user', value: '999999' }]);
  expect(nobody).toMatchObject({ status: 'ok', accounts: 0, identifiers: 1, orders: 0, mentions: 0 });
  const given: readonly Identifier[] = [{ kind: 'user', value: person.userOid }];
  expect(await forget(given)).toMatchObject({ accounts: 1, orders: person.orders.length });
  expect(await forget(given)).toMatchObject({ accounts: 0, orders: 0 });
});

async function expectForgotten(
  { client, person, namesake, mentioning }: ForgetLab,
  marts: unknown,
): Promise<void> {
  expect(tracesIn(await dumpTables(client), [...person.traces, `u:${person.userOid}`])).toEqual([]);
  expect(await readFigures(client)).toEqual(marts);
  const keys = await client.query(
    `SELECT customer_key, count(*)::int AS orders FROM tested.orders WHERE order_id = ANY ($1) GROUP BY 1 ORDER BY 1`,
    [person.orders],
  );
  expect(keys.rows).toEqual([
    { customer_key: expect.stringMatching(/^g:/), orders: 1 },
    { customer_key: expect.stringMatching(/^u:-\d{19}$/), orders: person.orders.length - 1 },
  ]);
  const others = await client.query(
    `SELECT buyer_name, buyer_phone, comment FROM tested.order_persons WHERE order_id = ANY ($1) ORDER BY order_id = $2`,
    [[namesake, mentioning], mentioning],
  );
  expect(others.rows).toMatchObject([
    { buyer_name: 'Аврелий Тихий', buyer_phone: '+7 903 111-22-33' },
    { buyer_name: expect.stringMatching(/./), comment: null },
  ]);
}

test('in a shop that is no longer synced, a person can be forgotten and a replay works, but only with the secret of earlier erasures', async () => {
  const { client, forget, person, replay, simulator } = await openForgetLab();
  await client.query('UPDATE tested.shops SET paused_at = now()');
  simulator.requests.reset();
  expect(await forget(BY['user id']?.(person) ?? [])).toMatchObject({
    status: 'ok',
    accounts: 1,
    orders: person.orders.length,
    mentions: 1,
  });
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual([]);
  expect(await replay()).toMatchObject({ status: 'ok' });
  await expect(replay('another')).rejects.toThrow(/remembers \d+ identifiers of erased persons/);
  expect(simulator.requests.count('orders')).toBe(0);
});

test('what the shop still sends of a forgotten person is erased again, and new orders join the same customer', async () => {
  const { client, db, forget, person, rows, shop, simulator, sweep } = await openForgetLab();
  await forget(BY['e-mail']?.(person) ?? []);
  const changed = person.orders[0] ?? 0;
  shop.editOrder(changed, { status: 'C', fio: 'Подколёсин А.', comment: 'Кривоколенный' });
  const contact = { fio: 'Подколёсин', email: person.email, phone: person.phone, address: '' };
  const added = [Number(person.userOid), 6].map(
    (buyerOid) => shop.insertOrder({ ...contact, buyerOid }).orderId,
  );
  simulator.requests.reset();

  expect(await sweep()).toMatchObject({ orders_new: 2, orders_changed: 1 });
  expect(simulator.requests.counts().users ?? 0).toBe(0);
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual([]);
  expect(
    await rows(
      `SELECT count(*)::int AS orders, count(DISTINCT customer_key)::int AS customers FROM tested.orders
       WHERE order_id = ANY ($1)`,
      [...person.orders, ...added],
    ),
  ).toEqual([{ orders: person.orders.length + 2, customers: 2 }]);
  expect(await sweep()).toMatchObject({ orders_changed: 0, content_requests: 0 });
  expect((await verifyOnce(simulator, db)).differences).toEqual([]);
});

test('a failed erasure erases and remembers nothing; repeated, it remembers each identifier once', async () => {
  const { client, forget, person } = await openForgetLab();
  await client.query(`CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON raw.users FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()`);
  const before = await dumpTables(client);
  await expect(forget(BY['user id']?.(person) ?? [])).rejects.toThrow(/raw.users|no$/);
  const traces = async () => tracesIn(await dumpTables(client), person.traces);
  expect(await traces()).toEqual(tracesIn(before, person.traces));
  const countErasures = async () => {
    const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM tested.erasures');
    return rows[0]?.n ?? 0;
  };
  expect(await countErasures()).toBe(0);
  await client.query('DROP TRIGGER refuse ON raw.users');

  await forget(BY['user id']?.(person) ?? []);
  expect(await traces()).toEqual([]);
  const remembered = await countErasures();
  expect(remembered).toBeGreaterThan(2);
  await forget(BY['user id']?.(person) ?? []);
  expect(await countErasures()).toBe(remembered);
  const stop = AbortSignal.abort(new Error('stopped'));
  await expect(forget(BY['e-mail']?.(person) ?? [], stop)).rejects.toThrow('stopped');
});

test.for(IS_LONG ? Object.keys(BY) : ['phone'])(
  'orders whose payload RAW_KEPT removed lose the person, too, by %s',
  async (by) => {
    const { client, forget, mentioning, person, rows, sweep } = await openForgetLab();
    for (const table of ['orders', 'order_contents', 'users'])
      await client.query(`DELETE FROM tested.raw_${table}`);
    const marts = await readFigures(client);
    const { orders } = await forget(BY[by]?.(person) ?? []);
    expect(orders).toBe(person.orders.length);
    const check = async () => {
      expect(tracesIn(await dumpTables(client), [...person.traces, `u:${person.userOid}`])).toEqual([]);
      expect(await readFigures(client)).toEqual(marts);
    };
    await check();
    expect(
      await rows('SELECT buyer_name, comment FROM tested.order_persons WHERE order_id = $1', mentioning),
    ).toEqual([{ buyer_name: expect.stringMatching(/./), comment: null }]);

    const again = await forget(BY[by]?.(person) ?? []);
    expect(again.mentions).toBe(0);
    expect(await sweep()).toMatchObject({ orders_changed: 0 });
    await check();
  },
);

test('a preview writes nothing and counts what the erasure then erases, including fields that are shown', async () => {
  const { client, forget, person, preview, rows, shop, sweep } = await openForgetLab();
  const given = BY['user id']?.(person) ?? [];
  await client.query(
    `INSERT INTO tested.order_form_fields (shop_id, field_key, is_shown) SELECT shop_id, 'corner', true FROM tested.shops`,
  );
  const [, own = 0] = person.orders;
  shop.editOrder(own, { fields: [{ key: 'corner', value: 'corner 5', label: 'of the corner' }] });
  await sweep();
  const readFields = async () => {
    return await rows(`SELECT field_key, value, label FROM tested.bi_order_fields WHERE order_id = $1`, own);
  };
  expect(await readFields()).toEqual([{ field_key: 'corner', value: 'corner 5', label: 'of the corner' }]);
  // Staff typed the person into a line, too, which is no record of anybody else.
  await client.query(
    `UPDATE tested.order_lines SET sku = 'for 8 916 555 12 34' WHERE order_id = $1 AND line_no = 1`,
    [own],
  );
  const before = await dumpTables(client);
  const seen = await preview(given);
  expect(await dumpTables(client)).toBe(before);
  const { accounts, identifiers, mentions, orders, shared } = await forget(given);
  expect(seen).toEqual({ accounts, identifiers, mentions, orders, shared });
  expect(mentions).toBe(1);
  expect(await readFields()).toEqual([]);
});

test('the documented query returns everything stored about a person, and nothing once the person is forgotten', async () => {
  const [, query = ''] = /```sql\n(WITH users.*?)```/s.exec(readFileSync('docs/security.md', 'utf8')) ?? [];

  const { client, forget, person } = await openForgetLab();
  const asked = query.replaceAll(":'email'", `'${person.email}'`).replaceAll(":'phone'", "'9165551234'");
  const { rows: stored } = await client.query<{ record: string; stored: unknown }>(asked);
  const found = Map.groupBy(stored, ({ record }) => record);
  expect(found.get('account')).toHaveLength(1);
  expect(found.get('order')).toHaveLength(person.orders.length);
  expect(JSON.stringify(stored)).toContain('4509 123987');
  await forget(BY['e-mail']?.(person) ?? []);
  expect((await client.query(asked)).rows).toEqual([]);
});

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

test('a person is taken out of every text of the persons of other orders and accounts', async () => {
  const { client, forget, person } = await openForgetLab();
  const { rows: others } = await client.query<{ order_id: string }>(
    `SELECT order_id FROM tested.order_lines JOIN tested.order_persons USING (order_id)
       WHERE line_no = 1 AND order_id <> ALL ($1) ORDER BY order_id`,
    [person.orders],
  );
  for (const [at, [table, column, value]] of PLACES.entries()) {
    const { rowCount } = await client.query(`UPDATE tested.${table} SET ${column} = $1 WHERE order_id = $2`, [
      value,
      others[at]?.order_id,
    ]);
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
});
