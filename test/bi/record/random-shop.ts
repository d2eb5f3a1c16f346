/** Puts a shop, and what its orders refer to, straight into the tables. */
import { eq, sql } from 'drizzle-orm';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { Random } from '../../../src/simulator/shop/random.ts';
import { firstState } from '../../../src/sync/run/shop-state.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { days } from '../../../src/warehouse/schema/ops.ts';
import { orderFormFields, shops } from '../../../src/warehouse/schema/shops.ts';
import { userPersons, users } from '../../../src/warehouse/schema/users.ts';
import { BUYERS, DAYS, FIRST_DAY, insertRows, instant, maybe, UNKNOWN } from './values.ts';

/** What is due of old days does not depend on how old they are. */
const FIRST_STATE = firstState({ freshness: parseFreshness('*:1d') });

const SINCE = Temporal.Instant.from('2025-11-10T00:00:00Z');

/** Registers a shop and what its orders refer to. @returns its `shop_id` */
export async function addRandomShop(
  db: Db,
  random: Random,
  shopKey: string,
  timezone: string,
): Promise<number> {
  const shop_id = await registerShop(db, { shopKey, baseUrl: 'https://shop.example', timezone }, FIRST_STATE);
  await db.update(shops).set({ versions_since: SINCE, created_at: SINCE }).where(eq(shops.shop_id, shop_id));
  const status = { stage: 'unknown', stage_order: null, is_final: false, is_documented: false, shop_id };
  const nameOf = (code: string) => (code === 'T1' ? 'named' : code);
  const named = { status_code: 'own', name: 'Own', name_local: 'Eigener' };
  await insertRows(db, 'core.order_statuses', [
    { ...status, ...named, stage: 'fulfilment', stage_order: 3, is_sale: true },
    ...UNKNOWN.map((code) => ({
      ...status,
      status_code: code,
      name: nameOf(code),
      name_local: null,
      is_sale: false,
    })),
  ]);
  await db.execute(sql`
    UPDATE core.order_statuses SET name_local = ${`in Arbeit (${shopKey})`}
    WHERE shop_id = ${shop_id} AND status_code = 'A'`);
  const payment = { shop_id, is_documented: false };
  await insertRows(db, 'core.payment_statuses', [
    { ...payment, pay_status_code: 'own', name: 'Own', name_local: 'Eigene' },
    ...[...UNKNOWN, 'V'].map((code) => ({
      ...payment,
      pay_status_code: code,
      name: nameOf(code),
      name_local: code === 'V' ? 'vor Ort' : null,
    })),
  ]);
  const version = { shop_id, valid_from: SINCE };
  await insertRows(db, 'core.status_versions', [
    { ...version, status_code: 'own', valid_until: '2025-12-05T00:00Z', stage: 'unknown', is_sale: false },
    { ...version, status_code: 'F', valid_until: '2026-01-05T00:00Z', stage: 'delivered', is_sale: true },
  ]);
  const group = { shop_id, deleted_at: null };
  await insertRows(db, 'core.user_groups', [
    { ...group, group_oid: '8', parent_oid: null, name: `${shopKey} top` },
    { ...group, group_oid: '9', parent_oid: '8', name: 'below' },
    { ...group, group_oid: '10', parent_oid: '9', name: null, deleted_at: '2026-01-01T00:00Z' },
    { ...group, group_oid: '11', parent_oid: '77', name: 'of none' },
    // Deeper than the views follow.
    ...Array.from({ length: 10 }, (_, at) => ({
      ...group,
      group_oid: 20 + at,
      parent_oid: at === 0 ? 8 : 19 + at,
      name: at % 2 === 0 ? null : `depth ${at}`,
    })),
  ]);
  const states = ['ok', 'ok', 'ok', 'not_found', 'pending', 'failed', 'erased'];
  await db.insert(users).values(
    BUYERS.map((user_oid, at) => ({
      shop_id,
      user_oid,
      fetch_state: states[at] ?? 'ok',
      group_oid: random.pick(['8', '9', '10', '11', '12', '29', null]),
      level: maybe(random, at),
      visible: maybe(random, 'Y'),
      access: maybe(random, 'N'),
      owner_oid: maybe(random, '101', 0.4),
      created_local: maybe(random, '2024-05-05 10:00:00'),
      created_at: maybe(random, Temporal.Instant.from('2024-05-05T08:00:00Z')),
      fetched_at: maybe(random, Temporal.Instant.from('2026-03-01T08:00:00Z')),
    })),
  );
  await db.insert(userPersons).values(
    BUYERS.slice(0, 4).map((user_oid, at) => ({
      shop_id,
      user_oid,
      login: `login ${at}`,
      email: maybe(random, `u${at}@mail.example`),
      phone: maybe(random, `+49 30 000${at}`),
      name: maybe(random, `Buyer ${at} of ${shopKey}`),
      org_name: maybe(random, 'Works', 0.5),
      gender: random.pick(['M', 'F', null]),
      address: maybe(random, 'Street 1'),
    })),
  );
  await db.insert(orderFormFields).values([
    { shop_id, field_key: 'source', is_shown: true },
    { shop_id, field_key: 'gift', is_shown: true },
    { shop_id, field_key: 'secret', is_shown: false },
  ]);
  await insertRows(
    db,
    'ops.rejections',
    (['order', 'content', 'user', 'group'] as const).flatMap((resource) =>
      [0, 1, 2].map((nth) => ({
        shop_id,
        resource,
        source_key: maybe(random, String(nth + 1)),
        field: maybe(random, 'field', 0.5),
        reason: 'bad',
        value: maybe(random, 'text', 0.5),
        digest: `${resource} ${nth}`,
        first_seen_at: instant(FIRST_DAY, random),
        last_seen_at: instant(FIRST_DAY, random, 9),
        seen_count: nth + 1,
        resolved_at: nth === 0 ? instant(FIRST_DAY, random, 12) : null,
      })),
    ),
  );
  return shop_id;
}

/** A shop of which nothing came yet. */
export async function addEmptyShop(db: Db): Promise<number> {
  const shop_id = await registerShop(
    db,
    { shopKey: 'new', baseUrl: 'https://shop.example', timezone: 'UTC' },
    FIRST_STATE,
  );
  await db.update(shops).set({ versions_since: null, created_at: SINCE }).where(eq(shops.shop_id, shop_id));
  return shop_id;
}

/** What of the days was verified, all of it long ago. */
export async function addDays(db: Db, random: Random, shop_id: number): Promise<void> {
  const rows = Array.from({ length: DAYS }, (_, at) => FIRST_DAY.add({ days: at })).filter(() =>
    random.chance(0.95),
  );
  await db.insert(days).values(
    rows.map((day) => ({
      shop_id,
      day,
      verified_at: maybe(random, instant(day, random, random.pick([0, 1, 2, 40])), 0.9),
      last_verified_at: maybe(random, instant(day, random, 2)),
      orders_seen: maybe(random, random.below(4)),
      attempts: random.below(3),
    })),
  );
}
