/** Whose records `forget` erases: all that are certain to be the person's, and those of nobody else. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { JsonObject } from '../../../src/model/json.ts';
import type { OrderChange } from '../../../src/simulator/shop/sim-order.ts';
import { serveAccounts } from '../../support/privacy/accounts.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { openOwnShop } from '../../support/shop.ts';

type Case = {
  readonly given: readonly string[];
  /** Profiles by the number of the account. */
  readonly accounts?: Readonly<Record<string, JsonObject>>;
  /** Orders of the person, and of others. */
  readonly own: readonly OrderChange[];
  readonly others?: readonly OrderChange[];
  /** Accounts that are gone afterwards. */
  readonly gone?: readonly string[];
};

const GUEST = { buyerOid: 6, email: '', phone: '' };
const of = (buyerOid: number, contact: OrderChange = {}) => ({ buyerOid, email: '', phone: '', ...contact });

const CASES: Readonly<Record<string, Case>> = {
  'an account whose record could not be read, by its number': {
    given: ['--user-id', '70514'],
    accounts: { 70514: { oid: 71_514, login: 'twelve@own.example' } },
    own: [of(70514)],
    gone: ['70514'],
  },
  'of an account with contacts of its own, the one order for somebody else': {
    given: ['--email', 'one@given.example'],
    accounts: { 70501: { email: 'one@own.example' } },
    own: [of(70501, { email: 'one@given.example', status: 'Body', payStatus: 'Body' })],
    others: [of(70501, { email: 'one@own.example' }), of(70501)],
  },
  'an account without contacts, by one of its orders': {
    given: ['--email', 'two@given.example'],
    accounts: { 70502: { login: 'two' } },
    own: [of(70502, { email: 'Two@Given.example' }), of(70502)],
    gone: ['70502'],
  },
  'an account with other contacts, by all of its orders': {
    given: ['--email', 'three@given.example'],
    accounts: { 70503: { email: 'three@own.example' } },
    own: [of(70503, { email: 'three@given.example' }), of(70503, { email: ' three@GIVEN.example' })],
    gone: ['70503'],
  },
  'guest orders with a number of the account': {
    given: ['--email', 'four@given.example'],
    accounts: { 70504: { email: 'Four@given.example' } },
    own: [of(70504, { phone: '+49 30 4040404' }), { ...GUEST, phone: '030 / 404 04 04' }],
    others: [{ ...GUEST, phone: '+49 40 4040404' }],
    gone: ['70504'],
  },
  'nobody who shares a number with the account': {
    given: ['--email', 'five@given.example'],
    accounts: {
      70505: { email: 'five@given.example', phone: '+7 916 000-00-05' },
      70506: { email: 'five@other.example', phone: '8 916 000 00 05' },
    },
    own: [of(70505, { phone: '9160000005' })],
    others: [of(70506, { phone: '9160000005' })],
    gone: ['70505'],
  },
  'no guest with another address, nor one who may be that guest': {
    given: ['--email', 'six@given.example'],
    accounts: { 70507: { email: 'six@given.example', phone: '+7 916 000-00-06' } },
    own: [of(70507)],
    others: [
      { ...GUEST, email: 'six@other.example', phone: '8 916 000 00 06' },
      { ...GUEST, phone: '89160000006' },
    ],
    gone: ['70507'],
  },
  'everybody with the number that is given': {
    given: ['--phone', '8 (916) 000-00-07'],
    accounts: { 70508: { email: 'seven@own.example', phone: '+7 916 000-00-07' } },
    own: [
      of(70508, { email: 'seven@own.example' }),
      { ...GUEST, email: 'a@b.example', phone: '79160000007' },
    ],
    others: [
      { ...GUEST, phone: '+7 999 000-00-07' },
      { ...GUEST, phone: '+7 916 000-00-70' },
    ],
    gone: ['70508'],
  },
  'guest orders with an address, and those with its number': {
    given: ['--email', 'eight@given.example'],
    own: [
      { ...GUEST, email: 'EIGHT@given.example', phone: '+7 916 000-00-08' },
      { ...GUEST, phone: '8(916)0000008' },
    ],
    others: [
      { ...GUEST, email: 'weight@given.example' },
      { ...GUEST, email: 'eight@given.example.org' },
    ],
  },
  'an account by the address that is its login': {
    given: ['--email', 'nine@given.example'],
    accounts: { 70509: { login: 'Nine@Given.example' }, 70510: { login: 'weight.nine@given.example' } },
    own: [of(70509)],
    others: [of(70510)],
    gone: ['70509'],
  },
  'an account by the number that is its login': {
    given: ['--phone', '+7 916 000-00-10'],
    accounts: { 70511: { login: '89160000010' }, 70512: { login: '0000010' } },
    own: [of(70511)],
    others: [of(70512)],
    gone: ['70511'],
  },
  'an account by its number, and guest orders with its contacts': {
    given: ['--user-id', '70513'],
    accounts: { 70513: { login: 'eleven@own.example', phone: '+7 916 000-00-11' } },
    own: [of(70513), { ...GUEST, email: 'eleven@own.example' }, { ...GUEST, phone: '8 916 000 00 11' }],
    gone: ['70513'],
  },
};

/** Of orders those that have lost their buyer, and of accounts those that are no more. */
async function readLost(client: Client, ids: readonly number[], accounts: readonly string[]) {
  const { rows } = await client.query<{ order_id: string }>(
    `SELECT order_id FROM bi_pii.order_contacts
     WHERE shop = 'test' AND order_id = ANY ($1) AND buyer_name IS NULL ORDER BY order_id`,
    [ids],
  );
  const users = await client.query<{ user_oid: string }>(
    `SELECT user_oid FROM bi_pii.users WHERE shop = 'test' AND user_oid = ANY ($1)`,
    [accounts],
  );
  const left = new Set(users.rows.map(({ user_oid }) => user_oid));
  return {
    orders: rows.map(({ order_id }) => Number(order_id)),
    gone: accounts.filter((oid) => !left.has(oid)),
  };
}

/** Where a code that names the person is still known. */
async function countCodes(client: Client) {
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM tested.bi_statuses WHERE status_code = 'Body') AS order,
       (SELECT count(*)::int FROM tested.payment_statuses WHERE pay_status_code = 'Body') AS payment,
       (SELECT count(*)::int FROM tested.shop_figures WHERE unclassified::text LIKE '%"Body"%') AS counted`,
  );
  return rows[0];
}

test('forget erases everything of the person, and nothing of anybody else', async () => {
  const { client, rows, shop, sweep, url } = await openOwnShop({ orders: 1, days: 1, seed: 3 });
  const cases = Object.entries(CASES);
  const insert = (orders: readonly OrderChange[] = []) =>
    orders.map((order) => shop.insertOrder({ fio: 'Any Body', ...order }).orderId);
  const stories = cases.map(([erased, { own, others, ...rest }]) => ({
    ...rest,
    erased,
    own: insert(own),
    others: insert(others),
  }));
  const profiles = Object.assign({}, ...cases.map(([, { accounts }]) => accounts));

  await sweep({ kind: 'backfill' }, {}, { through: serveAccounts(profiles) });
  const env = { DATABASE_URL: url, PII_SECRET: 'test' };
  const ids = stories.flatMap(({ own, others }) => [...own, ...others]);
  const accounts = Object.keys(profiles);
  // Their codes look like any code of the shop, and are of the person of the order.
  expect(await countCodes(client)).toEqual({ order: 0, payment: 0, counted: 0 });
  // All orders are read for that once a day.
  await client.query('UPDATE tested.shop_figures SET surveyed_at = now()');
  const unread = `SELECT FROM tested.raw_users WHERE user_key = '70514' AND payload IS NOT NULL`;
  expect(await rows(unread)).toHaveLength(1);
  const lost = { orders: new Set<number>(), gone: new Set<string>() };
  for (const { erased, given, gone = [], own } of stories) {
    for (const id of own) lost.orders.add(id);
    for (const oid of gone) lost.gone.add(oid);
    const { code } = await runInProcess(['forget', '--shop', 'test', ...given], env);
    const orders = [...lost.orders].toSorted((a, b) => a - b);
    expect({ erased, code, ...(await readLost(client, ids, accounts)) }).toEqual({
      erased,
      code: 0,
      orders,
      gone: accounts.filter((oid) => lost.gone.has(oid)),
    });
  }
  expect(await rows(unread)).toEqual([]);
});
