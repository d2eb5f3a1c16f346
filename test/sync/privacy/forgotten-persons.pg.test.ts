/** Persons whom the shop knows in different ways are forgotten on the command line, while the shop goes on sending them. */
import { expect, test } from 'vitest';

import { IS_LONG } from '../../support/long.ts';
import {
  MODES,
  type PrivacyLab,
  readContacts,
  readFigures,
  openPrivacyLab,
} from '../../support/privacy/lab.ts';
import { ACCOUNTS, FORGOTTEN, ORDERS, RAW_ROWS } from '../../support/privacy/persons.ts';

test.for(IS_LONG ? MODES : MODES.filter(({ mode }) => mode === 'keep'))(
  'with PII_MODE=$mode, forgotten persons are nowhere and stay so; figures, and persons who look like them, stay too',
  async (mode) => {
    const lab = await openPrivacyLab(mode);

    const { client, find, forget, orders, run, sweep } = lab;
    await correctStatuses(lab);
    const before = await find(...FORGOTTEN.map((person) => ({ ...person, ...mode.hidden })));
    expect(before.length).toBe(mode.mode === 'keep' ? 14 : 0);
    const [marts, contacts] = [await readFigures(client), await readContacts(client, orders)];
    const readKept = async () => ({
      found: await find(...FORGOTTEN),
      marts: await readFigures(client),
      contacts: await readContacts(client, orders),
    });
    for (const person of FORGOTTEN) {
      if (mode.mode === 'keep') expect(await find(person)).not.toEqual([]);
      const { code, stderr } = await forget(person);
      expect(code, stderr).toBe(0);
      expect(await find(person)).toEqual([]);
    }
    expect(await readKept()).toEqual({ found: [], marts, contacts });
    expect(await sweep()).toMatchObject({ orders_changed: 0, content_requests: 0 });
    expect(await readKept()).toEqual({ found: [], marts, contacts });

    await orderAgain(lab);
    expect(await find(...FORGOTTEN)).toEqual([]);
    // What was left out of a stored order is as unreadable as it was.
    const open = await readUnread(client);
    expect(open).toContain('summ');
    await run(['replay', '--shop', 'test', '--json']);
    expect(await readUnread(client)).toEqual(open);
    await sweep({ kind: 'sync' });
    expect(await sweep()).toMatchObject({ orders_new: 0, orders_changed: 0 });
    expect(await find(...FORGOTTEN)).toEqual([]);
    expect(await readContacts(client, orders)).toEqual(contacts);
  },
);

/** Fields of orders that could not be read. */
async function readUnread(client: PrivacyLab['client']): Promise<readonly string[]> {
  const { rows } = await client.query<{ field: string }>(
    `SELECT field FROM tested.rejections WHERE resource = 'order' AND resolved_at IS NULL ORDER BY source_key, field`,
  );
  return rows.map(({ field }) => field);
}

/** A person's name was the status of an order, until staff corrected it: its history holds it. */
async function correctStatuses({ orders, simulator: { shop }, sweep }: PrivacyLab): Promise<void> {
  shop.setRaw(orders.guest[0] ?? 0, { ...RAW_ROWS.guest, status: 'C' });
  shop.setRaw(orders.guest[1] ?? 0, { pay_status: 'Громобоев' });
  await sweep();
  shop.setRaw(orders.guest[1] ?? 0, undefined);
  await sweep();
}

/** The forgotten persons buy again, and what they bought before changes; others mention them anew. */
async function orderAgain({ client, orders, simulator: { shop }, sweep }: PrivacyLab): Promise<void> {
  const [guest = {}] = ORDERS.guest;
  const added = [
    shop.insertOrder({ ...guest, phone: '8(921)3334455' }),
    shop.insertOrder({ ...ORDERS.member, buyerOid: ACCOUNTS.member }),
    shop.insertOrder({ ...ORDERS.rejected, buyerOid: ACCOUNTS.rejected }),
  ].map(({ orderId }) => orderId);
  shop.setRaw(added[0] ?? 0, RAW_ROWS.guest);
  shop.setRaw(added[1] ?? 0, RAW_ROWS.member);
  shop.editOrder(orders.guest[2] ?? 0, { status: 'C', comment: 'Громобоеву, Соловьиный пер.' });
  shop.editOrder(orders.member[1] ?? 0, { status: 'C', fio: 'Луговая В.' });
  expect(await sweep()).toMatchObject({ orders_new: 3, orders_changed: 2 });
  const { rows } = await client.query(
    `SELECT count(*)::int AS orders, count(DISTINCT customer_key)::int AS customers FROM bi.orders
     WHERE shop = 'test' AND order_id = ANY ($1)`,
    [[...added, ...orders.guest.slice(1), ...orders.member, ...orders.rejected]],
  );
  // The spellings of the number differ, and so do the keys of its first orders.
  expect(rows).toEqual([{ orders: 10, customers: expect.any(Number) }]);
}
