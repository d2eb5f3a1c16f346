/** A shop with persons who are to be forgotten, among others who look like them, and everything that is done to it. */
import type { Client } from 'pg';
import { pino } from 'pino';
import { expect } from 'vitest';

import type { Simulator } from '../../../src/simulator/server.ts';
import type { ShopSettings } from '../../../src/sync/run/context.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { readMarts, type ViewRows } from '../dump.ts';
import { runInProcess } from '../run-in-process.ts';
import { FORCED, openOwnShop } from '../shop.ts';
import { type Means, sweepOnce } from '../sweep.ts';
import { serveAccounts } from './accounts.ts';
import { ACCOUNTS, OFFICE_PHONE, ORDERS, type Person, PROFILES, RAW_ROWS } from './persons.ts';
import { findPersons, readEverything } from './search.ts';

/** Fields that are kept of everybody: a buyer may type a name into any of them. */
export const SAVING: Partial<ShopSettings> = {
  pseudonymize: { keptFields: ['source', 'gift', 'nick', 'wishes', 'motto', 'org_name'] },
};

/** What `PII_MODE` is. */
export const MODES = [
  { mode: 'keep', settings: {}, env: {}, hidden: {} },
  {
    mode: 'pseudonymize',
    settings: SAVING,
    env: { PII_MODE: 'pseudonymize', PII_KEPT_FIELDS: 'source, gift, nick, wishes, motto, org_name' },
    /** Numbers of accounts are stored. */
    hidden: { account: undefined },
  },
] as const;

/** The marts, but for those about fields, of which nothing is left of an erased person. */
export async function readFigures(client: Client): Promise<ViewRows> {
  const { order_fields: _fields, sales_by_field: _sales, ...figures } = await readMarts(client, MAY_DIFFER);
  return figures;
}

/** What may differ in the marts: pseudonyms, the account's own day, and columns in which staff had typed the persons. */
const MAY_DIFFER: readonly string[] =
  'customer_key buyer_oid registered_on field_no changed_at delivery_name pay_method color'.split(' ');

export type Mode = {
  readonly settings: Partial<ShopSettings>;
  readonly env: Readonly<Record<string, string>>;
};

export type Orders = Readonly<Record<'guest' | 'member' | 'rejected', readonly number[]>> & {
  /** Of others: somebody who mentions the three, and persons who look like them. */
  readonly stranger: number;
  readonly similar: readonly number[];
};

export type PrivacyLab = Awaited<ReturnType<typeof openPrivacyLab>>;

/** For the time of a test. */
export async function openPrivacyLab({ settings, env }: Mode) {
  const ground = await openOwnShop({ orders: 30, days: 10, seed: 21 });
  const { client, clock, db, simulator, url } = ground;
  const orders = addPersons(simulator);
  let printed = '';
  const logger = pino({ level: 'trace' }, { write: (line: string) => void (printed += line) });
  /** Of the shop `test`, ten minutes after the one before; into another database and with other settings where they are given. */
  const sweep = async (
    request: SweepRequest = { ...FORCED, audit: true },
    { into = db, own = settings, ...means }: Means & { into?: Db; own?: Partial<ShopSettings> } = {},
  ) => {
    clock.pass({ minutes: 10 });
    return sweepOnce(simulator, into, request, own, { now: clock.now, logger, through, ...means });
  };
  /** @param at the address of the database, by whatever way */
  const run = async (args: readonly string[], at = url) => {
    const given = { DATABASE_URL: at, PII_SECRET: 'test', LOG_LEVEL: 'trace', ...env };
    const ended = await runInProcess(['--debug', ...args], given);
    printed += ended.stdout + ended.stderr;
    return ended;
  };
  await sweep({ kind: 'backfill' });
  return {
    ...ground,
    orders,
    sweep,
    run,
    /** On the command line, for the shop `test` alone. */
    forget: ({ by, account }: Person, at?: string) => {
      // Where no contact is stored, an account is known by its number alone.
      const given = settings.pseudonymize && account !== undefined ? ['--user-id', String(account)] : by;
      return run(['forget', '--shop', 'test', ...given], at);
    },
    /** What is found of persons in the database and in all that was printed and logged so far. */
    find: async (...persons: readonly Person[]) =>
      findPersons(persons, `${await readEverything(client)}\n${printed}`),
  };
}

function addPersons({ shop }: Simulator): Orders {
  const ids = shop.orders().map(({ orderId }) => orderId);
  let used = 0;
  const edit = (change: Parameters<typeof shop.editOrder>[1]) => {
    const orderId = ids[(used += 2)] ?? 0;
    return shop.editOrder(orderId, change).orderId;
  };
  const guest = ORDERS.guest.map((order) => edit(order));
  const own = (buyerOid: number, order: object) => [
    edit({ ...order, buyerOid }),
    edit({ ...order, buyerOid }),
  ];
  const member = own(ACCOUNTS.member, ORDERS.member);
  const rejected = own(ACCOUNTS.rejected, ORDERS.rejected);
  shop.setRaw(guest[0] ?? 0, RAW_ROWS.guest);
  shop.setRaw(member[0] ?? 0, RAW_ROWS.member);
  const stranger = edit({ fio: 'Ефим Тихонов', email: 'efim@other.example', phone: '+7 812 111-00-99' });
  shop.setRaw(stranger, RAW_ROWS.stranger);
  return {
    guest,
    member,
    rejected,
    stranger,
    similar: [
      // The last seven digits are those of the guest, the number is another one.
      edit({
        buyerOid: 6,
        fio: 'Пётр Громов',
        phone: '+7 999 333-44-55',
        email: 'xvera.lugovaya@post.example',
      }),
      edit({ buyerOid: ACCOUNTS.similar, fio: 'Вера Луговина', email: PROFILES.similar.email, phone: '' }),
      edit({ buyerOid: ACCOUNTS.colleague, fio: 'Клим Ворошин', email: '', phone: OFFICE_PHONE }),
    ],
  };
}

const through = serveAccounts({
  [ACCOUNTS.member]: PROFILES.member,
  // The record is said to be that of another account.
  [ACCOUNTS.rejected]: { ...PROFILES.rejected, oid: ACCOUNTS.rejected + 1_000 },
  [ACCOUNTS.colleague]: PROFILES.colleague,
  [ACCOUNTS.similar]: PROFILES.similar,
});

/** Of others than those who were forgotten: how to reach them, as `bi_pii` shows it. */
export async function readContacts(
  client: Client,
  { similar, stranger }: Orders,
): Promise<readonly unknown[]> {
  const contacts = await client.query(
    `SELECT to_jsonb(c) - '{shop_id,changed_at}'::text[] AS row FROM bi_pii.order_contacts c
     WHERE shop = 'test' AND order_id = ANY ($1) ORDER BY order_id`,
    [[...similar, stranger]],
  );
  const users = await client.query(
    `SELECT to_jsonb(u) - '{shop_id,fetched_at}'::text[] AS row FROM bi_pii.users u
     WHERE shop = 'test' AND user_oid = ANY ($1) ORDER BY user_oid`,
    [[ACCOUNTS.colleague, ACCOUNTS.similar]],
  );
  expect([contacts.rows.length, users.rows.length]).toEqual([4, 2]);
  return [contacts.rows, users.rows];
}
