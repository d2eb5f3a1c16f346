/** A warehouse with a person in many places, and another one who shares no more than a first name. */
import type { Client } from 'pg';

import type { Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import { forgetPerson, previewForget } from '../../../src/sync/forget/forget-person.ts';
import { replayShop } from '../../../src/sync/replay/replay-shop.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { readMarts, type ViewRows } from '../../support/dump.ts';
import { FORCED, openOwnShop } from '../../support/shop.ts';
import { storedRun } from '../../support/stored-run.ts';
import type { Means } from '../../support/sweep.ts';

export type ForgetLab = Awaited<ReturnType<typeof openForgetLab>>;

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

/** For the time of a test. */
export async function openForgetLab() {
  const ground = await openOwnShop({ orders: 40, days: 10, seed: 11 });
  const { clock, db } = ground;
  const { shop } = ground;
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
  /** Reads all of it again, unless another request is given. */
  const sweep = (request: SweepRequest = { ...FORCED, audit: true }, means: Means = {}) =>
    ground.sweep(request, {}, { refreshesSummaries: true, ...means });
  await sweep({ kind: 'backfill' });
  clock.pass({ minutes: 10 });
  const run = (given: Parameters<typeof storedRun>[1] = {}) => storedRun(db, { now: clock.now, ...given });
  const contacts = ['9165551234', '555-12-34', '555 12 34', '4509 123987', account.email, account.login];
  return {
    ...ground,
    person: {
      userOid: String(account.oid),
      email: account.email,
      phone: '+79165551234',
      /** Everything that must be found nowhere. */
      traces: ['подколёсин', 'кривоколенный', ...contacts].map((trace) => trace.toLowerCase()),
      /** Orders of the account and as a guest. */
      orders: [...own, guest].map(({ orderId }) => orderId),
    },
    /** An order of another account that mentions the phone number. */
    mentioning: mentioning.orderId,
    /** An order of a namesake. */
    namesake: namesake.orderId,
    sweep,
    forget: async (given: readonly Identifier[], signal?: AbortSignal) => {
      const { context, shopId } = await run(signal && { signal });
      return forgetPerson(context, shopId, given);
    },
    preview: async (given: readonly Identifier[]) => {
      const { context, shopId } = await run();
      return previewForget(context, shopId, given);
    },
    replay: async (rekeyTo?: string) => {
      const { context, shopId } = await run({ guestSecret: rekeyTo ?? 'test' });
      return replayShop(context, shopId, { rekey: rekeyTo !== undefined });
    },
  };
}

/** The traces that a text holds, whatever its case. */
export function tracesIn(text: string, traces: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  // Logins of others begin alike, and end in other numbers.
  return traces.filter((trace) => new RegExp(`${RegExp.escape(trace)}(?!\\d)`).test(lower));
}
