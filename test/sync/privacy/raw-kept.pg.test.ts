/** Payloads that `RAW_KEPT` removes, and persons of whom only rows are left. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { MODES, readContacts, readFigures, withPrivacyLab } from '../../support/privacy/lab.ts';
import { FORGOTTEN, ORGANIZATION } from '../../support/privacy/persons.ts';

const [KEEP] = MODES;
const DAY_MS = 86_400_000;
/** More than one statement removes. */
const OLD = 1_200;

test('a sync removes all payloads older than RAW_KEPT and no younger ones, and persons can be forgotten without them', () =>
  withPrivacyLab(KEEP, async ({ client, clock, db, find, forget, orders, sweep }) => {
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
  }));
