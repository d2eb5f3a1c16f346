/** Puts orders of every kind, with all that they have, straight into the tables. */
import { sql } from 'drizzle-orm';

import type { JsonObject } from '../../../src/model/json.ts';
import type { Random } from '../../../src/simulator/shop/random.ts';
import { GUEST_OID } from '../../../src/model/persons.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { addUpLines } from '../../../src/warehouse/orders/load-lines.ts';
import { orderLines, orderPersons, orders } from '../../../src/warehouse/schema/orders.ts';
import { BUYERS, cents, insertRows, instant, maybe, orderDay, PAY_STATUSES, STATUSES } from './values.ts';

/** Adds orders of these numbers. */
export async function addOrders(
  db: Db,
  random: Random,
  shop_id: number,
  ids: readonly number[],
): Promise<void> {
  const all = ids.map((id) => randomOrder(random, shop_id, String(id)));
  await db.transaction(async (tx) => {
    await tx.insert(orders).values(all.map(({ row }) => row));
    // Their history and times are others, and no trigger is to change them.
    await tx.execute(sql`
      DELETE FROM core.order_history WHERE shop_id = ${shop_id} AND order_id = ANY (${sql.param(ids)}::bigint[])`);
    await tx.execute(sql`SET LOCAL session_replication_role = replica`);
    await tx.insert(orderLines).values(all.flatMap(({ lines }) => lines));
    await tx.insert(orderPersons).values(all.flatMap(({ person }) => person));
    const [history, versions] = [
      all.flatMap((order) => order.history),
      all.flatMap((order) => order.versions),
    ];
    await insertRows(tx, 'core.order_history', history);
    await insertRows(tx, 'core.order_versions', versions);
  });
}

function randomOrder(random: Random, shop_id: number, order_id: string) {
  const day = orderDay(random);
  const own = { shop_id, order_id };
  const isDated = random.chance(0.95);
  const buyer = random.pick([...BUYERS, GUEST_OID, GUEST_OID, GUEST_OID, null]);
  const isGuest = buyer === GUEST_OID || buyer === null;
  const created_at = isDated ? instant(day, random) : null;
  const lines = Array.from({ length: random.below(5) }, (_, at) => randomLine(random, own, at + 1));
  const { lines_total, list_total, units } = addUpLines(lines);
  const delivery_price = maybe(random, random.pick(['0.00', cents(random, 500)]));
  const order_sum = maybe(
    random,
    random.pick([cents(random), lines_total, plus(lines_total, delivery_price), '0.00']),
  );
  const history = randomHistory(random, own, day);
  const last = history.at(-1);
  const missing_since = maybe(random, instant(day, random, 5), 0.2);
  const row: typeof orders.$inferInsert = {
    ...own,
    status_code: last?.status_code ?? random.pick(STATUSES),
    pay_status_code: last?.pay_status_code ?? random.pick(PAY_STATUSES),
    color: maybe(random, 'red', 0.3),
    buyer_oid: buyer,
    is_guest: isGuest,
    customer_key: isGuest ? random.pick(['g:one', 'g:two', `o:${order_id}`]) : `u:${buyer}`,
    created_on: isDated ? day.toString() : null,
    created_local: created_at?.toString().replace('Z', '') ?? null,
    created_at,
    updated_local: maybe(random, `${day.add({ days: 3 }).toString()} 10:00:00`),
    updated_at: maybe(random, instant(day, random, 3)),
    currency: random.pick(['EUR', 'EUR', 'EUR', 'USD', 'RUB', null]),
    pay_method: maybe(random, random.pick(['card', 'cash'])),
    order_sum,
    paid_amount: maybe(random, random.pick(['0.00', cents(random), order_sum, '9999.00'])),
    delivery_price,
    discount_raw: random.pick(['10%', '5', null]),
    discount_percent: random.pick(['10.0000', null, '100.0000']),
    item_count: maybe(random, String(random.pick([lines.length, unitsOf(lines), lines.length + 1, 0]))),
    weight: maybe(random, '1.500'),
    delivery_name: maybe(random, random.pick(['Courier', 'Pick-up', 'call Anna 12345678'])),
    delivery_id: maybe(random, '77'),
    order_hash: maybe(random, 'hash'),
    views: random.below(4),
    fingerprint: random.pick(['none', 'none', 'e:none', 'p:none']),
    lines_state: random.pick(['ok', 'ok', 'ok', 'pending', 'failed', 'doubtful']),
    lines_fetched_at: maybe(random, instant(day, random, 1)),
    first_seen_at: instant(day, random, 1),
    observed_at: instant(day, random, 4),
    missing_since,
    deleted_at: missing_since === null ? null : maybe(random, instant(day, random, 6), 0.6),
    changed_at: instant(day, random, 8),
    stored_at: maybe(random, instant(day, random, 2)),
    lines_total,
    list_total,
    units,
  };
  return {
    row,
    lines,
    history,
    person: randomPerson(random, own),
    versions: randomVersions(random, row, day),
  };
}

type Line = ReturnType<typeof randomLine>;

const unitsOf = (lines: readonly Line[]) =>
  Math.trunc(lines.reduce((sum, { quantity }) => sum + Number(quantity), 0));

const plus = (one: string | null, other: string | null) => (Number(one) + Number(other)).toFixed(2);

type Own = { readonly shop_id: number; readonly order_id: string };

function randomLine(random: Random, own: Own, line_no: number) {
  const product = random.pick(['1', '2', '3', '4', null]);
  return {
    ...own,
    line_no,
    line_oid: maybe(random, `${product}_a`),
    product_oid: product,
    code: maybe(random, 'code', 0.3),
    product_name: maybe(random, `${random.pick(['Mug', 'Cup'])} ${product}`),
    sku: random.pick(['M', 'C', null, '']),
    quantity: maybe(random, random.pick(['1.000', '2.500', '0.000'])),
    unit_price: maybe(random, cents(random, 900)),
    line_total: maybe(random, cents(random, 2_000)),
    list_price: maybe(random, cents(random, 1_000)),
    list_total: maybe(random, random.pick(['0.00', cents(random, 2_500)])),
    discount_raw: random.pick(['10%', '5', null]),
    discount_percent: random.pick(['10.0000', null]),
  };
}

function randomHistory(random: Random, own: Own, day: Temporal.PlainDate) {
  const length = random.below(6);
  const at = (step: number) => day.add({ days: 2 * step }).toString();
  return Array.from({ length }, (_, step) => ({
    ...own,
    seq: step + 1,
    status_code: random.pick(STATUSES),
    pay_status_code: random.pick(PAY_STATUSES),
    order_sum: maybe(random, random.pick(['10.00', '0.00', cents(random)])),
    paid_amount: maybe(random, random.pick(['10.00', '0.00', '20.00'])),
    source_updated_at: maybe(random, moment(`${at(step)} 06:00Z`), 0.5),
    not_before: maybe(random, moment(`${at(step)} 05:00Z`), 0.5),
    observed_at: moment(`${at(step)} 12:00Z`),
    observed_until: step === length - 1 ? null : moment(`${at(step + 1)} 12:00Z`),
    is_initial: step === 0 && random.chance(0.7),
  }));
}

const FIELDS = ['source', 'gift', 'secret', 'other'] as const;

function randomField(random: Random, key: string): JsonObject {
  return {
    value: random.pick(['Ads', 'Shop', '', ' ', 7, null, { of: 'an object' }, 'x'.repeat(130)]),
    ...(random.chance(0.5) && { name: key }),
    ...(random.chance(0.5) && { label: `the ${key}` }),
  };
}

function randomPerson(random: Random, own: Own): readonly (typeof orderPersons.$inferInsert)[] {
  if (random.chance(0.2)) return [];
  const filled = FIELDS.filter(() => random.chance(0.6));
  const fields = Object.fromEntries(filled.map((key) => [key, randomField(random, key)]));
  const given = {
    buyer_name: maybe(random, 'Anna'),
    buyer_email: maybe(random, 'anna@mail.example'),
    buyer_phone: maybe(random, '+49 30 1234567'),
    buyer_address: maybe(random, 'Street 2'),
    comment: maybe(random, 'soon', 0.3),
  };
  return [{ ...own, ...given, fields: random.pick([fields, fields, fields, null, [], 'text']) }];
}

function randomVersions(random: Random, row: typeof orders.$inferInsert, day: Temporal.PlainDate) {
  const { shop_id, order_id, created_on, created_at, currency, customer_key } = row;
  const shared = { shop_id, order_id, created_on, created_at, currency, customer_key };
  const at = (step: number) => day.add({ days: 1 + 3 * step }).toString();
  return Array.from({ length: random.pick([0, 0, 1, 2]) }, (_, step) => ({
    ...shared,
    valid_from: moment(`${at(step)} 09:00Z`),
    valid_until: moment(`${at(step + 1)} 09:00Z`),
    status_code: random.pick(STATUSES),
    order_sum: maybe(random, cents(random)),
    paid_amount: maybe(random, cents(random)),
    units: maybe(random, String(random.below(5))),
    is_deleted: random.chance(0.2),
    is_reread: random.chance(0.2),
  }));
}

const moment = (text: string) => Temporal.Instant.from(text);
