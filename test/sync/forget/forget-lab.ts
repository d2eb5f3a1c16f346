/** A warehouse with a person in many places, and another one who shares no more than a first name. */
import type { Client } from 'pg';

import type { Simulator } from '../../../src/simulator/server.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import type { Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import { forgetPerson, previewForget } from '../../../src/sync/forget/forget-person.ts';
import { replayShop } from '../../../src/sync/replay/replay-shop.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { storedRun } from '../../support/stored-run.ts';
import { inOwnWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { readMarts, type ViewRows } from '../../support/dump.ts';
import { PRESENT } from '../../support/shop.ts';

export type ForgetLab = {
  readonly simulator: Simulator;
  readonly client: Client;
  readonly db: Db;
  readonly url: string;
  readonly person: {
    readonly userOid: string;
    readonly email: string;
    readonly phone: string;
    /** Everything that must be found nowhere. */
    readonly traces: readonly string[];
    /** Orders of the account and as a guest. */
    readonly orders: readonly number[];
  };
  /** An order of another account that mentions the phone number. */
  readonly mentioning: number;
  /** An order of a namesake. */
  readonly namesake: number;
  readonly sweep: (request?: SweepRequest) => Promise<SweepResult>;
  readonly forget: (given: readonly Identifier[], signal?: AbortSignal) => ReturnType<typeof forgetPerson>;
  readonly preview: (given: readonly Identifier[]) => ReturnType<typeof previewForget>;
  readonly replay: (rekeyTo?: string) => ReturnType<typeof replayShop>;
};

/** The marts without pseudonyms, and without those about fields, of which nothing is left of an erased person. */
export async function readFigures(client: Client): Promise<ViewRows> {
  const marts = await readMarts(client, [
    'customer_key',
    'buyer_oid',
    'changed_at',
    // It is the account's.
    'registered_on',
    // Staff had typed the person there.
    'delivery_name',
  ]);
  const { order_fields: _fields, sales_by_field: _sales, ...figures } = marts;
  return figures;
}

export const FORCED: SweepRequest = { kind: 'backfill', force: true, audit: true };

export async function withForgetLab(work: (lab: ForgetLab) => Promise<void>): Promise<void> {
  await using simulator = makeShopInProcess({ orders: 40, days: 10, seed: 11, now: PRESENT });
  const { shop } = simulator;
  const counts = Map.groupBy(shop.orders(), ({ buyerOid }) => buyerOid);
  const account = shop.users().find(({ oid, email }) => (counts.get(oid)?.length ?? 0) >= 2 && email !== '');
  const others = shop.orders().filter(({ buyerOid }) => buyerOid !== account?.oid);
  const guest = others.find(({ buyerOid }) => buyerOid === 6);
  const [mentioning, namesake] = others.filter(({ buyerOid }) => buyerOid !== 6);
  if (!account || !guest || !mentioning || !namesake) throw new Error('the shop is too small');
  const own = counts.get(account.oid) ?? [];
  const spellings = ['+7 (916) 555-12-34', '8 916 555 12 34', '79165551234'];
  const name = 'Аврелий Подколёсин';
  for (const [at, { orderId }] of own.entries()) {
    shop.editOrder(orderId, {
      fio: name,
      phone: spellings[at % spellings.length] ?? '',
      email: at === 0 ? account.email.toUpperCase() : '',
      address: 'Кривоколенный пер. 77',
      comment: `спросить Подколёсина, ${account.login}`,
      fields: [
        { key: 'source', value: 'Instagram', label: 'Источник' },
        { key: 'passport', value: '4509 123987', label: 'Паспорт Подколёсина' },
      ],
    });
  }
  const first = own[0]?.orderId ?? 0;
  shop.setRaw(first, {
    status: 'Подколёсину, 8 916 555 12 34',
    pay_status: 'Подколёсин',
    delivery: `Курьером: ${name}, 8 916 555-12-34`,
    courier_note: { for: name, call: ['8 (916) 555-12-34'] },
    summ: name,
    hash: `h-${account.login}`,
  });
  shop.editOrder(guest.orderId, {
    fio: 'А. Подколёсин',
    email: ` ${account.email} `,
    phone: '007 916 5551234',
  });
  shop.editOrder(mentioning.orderId, { comment: 'или мужу: 8(916)555-12-34 вечером' });
  shop.setRaw(mentioning.orderId, { status: 'звонить 8 916 555 12 34' });
  shop.editOrder(namesake.orderId, {
    fio: 'Аврелий Тихий',
    phone: '+7 903 111-22-33',
    email: 'aurelius@other.example',
  });
  await inOwnWarehouse(async ({ client, db, url }) => {
    const clock = testClock(PRESENT);
    const { now } = clock;
    const sweep: ForgetLab['sweep'] = (request = FORCED) =>
      sweepOnce(simulator, db, request, {}, { now, refreshesSummaries: true, through: withoutGroups });
    await sweep({ kind: 'backfill' });
    clock.pass({ minutes: 10 });
    await work({
      simulator,
      client,
      db,
      url,
      person: {
        userOid: String(account.oid),
        email: account.email,
        phone: '+79165551234',
        traces: [
          'подколёсин',
          'кривоколенный',
          '9165551234',
          '555-12-34',
          '555 12 34',
          '4509 123987',
          account.email.toLowerCase(),
          account.login.toLowerCase(),
        ],
        orders: [...own, guest].map(({ orderId }) => orderId),
      },
      mentioning: mentioning.orderId,
      namesake: namesake.orderId,
      sweep,
      async forget(given, signal) {
        const { context, shopId } = await storedRun(db, { now, ...(signal && { signal }) });
        return forgetPerson(context, shopId, given);
      },
      async preview(given) {
        const { context, shopId } = await storedRun(db, { now });
        return previewForget(context, shopId, given);
      },
      async replay(rekeyTo) {
        const { context, shopId } = await storedRun(db, { now, guestSecret: rekeyTo ?? 'test' });
        return replayShop(context, shopId, { rekey: rekeyTo !== undefined });
      },
    });
  });
}

/** The traces that a text holds, whatever its case. */
export function tracesIn(text: string, traces: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  // Logins of others begin alike, and end in other numbers.
  return traces.filter((trace) => new RegExp(`${RegExp.escape(trace)}(?!\\d)`).test(lower));
}
