/** Persons are forgotten where payloads were removed, and where the erasure is interrupted again and again. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import type { ShopSettings } from '../../../src/sync/run/context.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import {
  MODES,
  type PrivacyLab,
  readContacts,
  readFigures,
  SAVING,
  openPrivacyLab,
} from '../../support/privacy/lab.ts';
import {
  FORGOTTEN,
  MEMBER,
  ORGANIZATION,
  OTHERS,
  type Person,
  REJECTED,
} from '../../support/privacy/persons.ts';

const [KEEP] = MODES;
const DAY_MS = 86_400_000;
/** More than one statement removes. */
const OLD = 1_200;

test('a sync removes every payload that is older than RAW_KEPT and no younger one, and the persons are forgotten without them', async () => {
  const { client, clock, db, find, forget, orders, sweep } = await openPrivacyLab(KEEP);
  const payloads = async () => {
    const { rows } = await client.query<{ old: number; young: number }>(
      `SELECT count(*) FILTER (WHERE fetched_at < $1)::int AS old, count(*) FILTER (WHERE fetched_at >= $1)::int AS young
         FROM (SELECT shop_id, fetched_at FROM raw.orders UNION ALL SELECT shop_id, fetched_at FROM raw.order_contents
           UNION ALL SELECT shop_id, fetched_at FROM raw.users) r JOIN core.shops USING (shop_id) WHERE shop_key = 'test'`,
      [
        clock
          .now()
          .subtract({ hours: 24 * 30 })
          .toString(),
      ],
    );
    return rows[0];
  };
  // Orders that a first load of years left behind: more of them than users.
  await db.execute(sql`
      INSERT INTO raw.orders (shop_id, order_id, payload, fetched_at)
      SELECT shop_id, n, '{}', '2020-01-01' FROM core.shops, generate_series(1, ${OLD}) n WHERE shop_key = 'test'`);
  const loaded = (await payloads())?.young ?? 0;
  expect(await payloads()).toEqual({ old: OLD, young: loaded });
  await sweep({ kind: 'sync' });
  expect(await payloads()).toEqual({ old: OLD, young: loaded });
  await sweep({ kind: 'sync' }, { rawKeptMs: 30 * DAY_MS });
  expect(await payloads()).toEqual({ old: 0, young: loaded });

  // What was sent with the list rows and users, and what with the lines.
  const rests = async () => {
    const { rows } = await client.query<{ sent: number; lines: number }>(`
        SELECT count(rest)::int AS sent, count(content_rest)::int AS lines FROM (
          SELECT rest, content_rest FROM tested.order_persons UNION ALL SELECT rest, NULL FROM tested.user_persons) p`);
    return rows[0];
  };
  await client.query(`UPDATE tested.order_persons SET content_rest = '{"note": "fragile"}'`);
  const before = await rests();
  expect(Math.min(before?.sent ?? 0, before?.lines ?? 0)).toBeGreaterThan(0);
  await client.query(`
      UPDATE tested.raw_orders SET fetched_at = '2020-01-01'; UPDATE tested.raw_users SET fetched_at = '2020-01-01'`);
  clock.pass({ hours: 2 });
  await sweep({ kind: 'sync' }, { rawKeptMs: 30 * DAY_MS });
  expect(await rests()).toEqual({ sent: 0, lines: before?.lines });
  const [marts, contacts] = [await readFigures(client), await readContacts(client, orders)];
  // What an account's organization is called, nothing says any more.
  const persons = FORGOTTEN.map((person) => ({
    ...person,
    texts: person.texts.filter((text) => text !== ORGANIZATION),
  }));
  for (const person of persons) {
    expect((await forget(person)).code).toBe(0);
    expect(await find(person)).toEqual([]);
  }
  expect(await readFigures(client)).toEqual(marts);
  expect(await readContacts(client, orders)).toEqual(contacts);
  expect(await sweep()).toMatchObject({ orders_changed: 0 });
  expect(await find(...persons)).toEqual([]);
});

test('an erasure that is cut off has erased nothing, and given again it erases everything, also where no person is stored any more', async () => {
  const lab = await openPrivacyLab(KEEP);

  const { client, find, orders, sweep } = lab;
  const [marts, contacts] = [await readFigures(client), await readContacts(client, orders)];
  const held = await find(MEMBER);
  expect(held).not.toEqual([]);
  await using proxy = await startDatabaseProxy(lab.url);
  const cutShort = async (person: Person) => {
    for (const _ of [1, 2]) {
      const isCut = await cutOff(proxy, async () => (await lab.forget(person, proxy.url)).code === 0);
      expect(isCut).toBe(true);
    }
  };
  await cutShort(MEMBER);
  await sweep({ kind: 'sync' });
  expect(await find(MEMBER)).toHaveLength(held.length);
  expect((await lab.forget(MEMBER)).code).toBe(0);
  expect(await find(MEMBER)).toEqual([]);
  expect(await readFigures(client)).toEqual(marts);
  expect(await readContacts(client, orders)).toEqual(contacts);

  await cutShort(REJECTED);
  const saving = { ...REJECTED, account: undefined };
  expect(await find(OTHERS)).not.toEqual([]);
  await syncAt(lab, lab.url, SAVING);
  expect(await find(MEMBER, saving, OTHERS)).toEqual([]);
});

async function syncAt({ sweep }: PrivacyLab, url: string, own: Partial<ShopSettings> = {}): Promise<boolean> {
  await using database = await openDatabase(url);
  const swept = await sweep({ kind: 'sync' }, { into: database.db, own }).catch(() => undefined);
  return swept !== undefined;
}

/** Cuts the connection that is about to commit an erasure. @returns whether the work failed for it */
async function cutOff(proxy: DatabaseProxy, work: () => Promise<boolean>): Promise<boolean> {
  let cuts = 0;
  proxy.handle(async ({ text, before }, forward) => {
    if (text === 'commit' && before.some((earlier) => earlier.includes('INSERT INTO "ops"."erasures"'))) {
      cuts += 1;
      throw new Error('the connection is cut');
    }
    await forward();
  });
  const isDone = await work();
  proxy.handle((_statement, forward) => forward());
  return !isDone && cuts === 1;
}
