/** What is stored of the persons of orders: in `core.order_persons`, and nowhere else. */
import { type SQL, sql } from 'drizzle-orm';

import type { Cleared, Profile } from '../../model/persons.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Db, Tx } from '../db/database.ts';
import { storableJson } from '../db/pg-json.ts';
import { recordset, typesOf, upsert, valuesIn } from '../db/upsert.ts';
import { PROFILE } from './profiles.ts';
import { orderPersons } from '../schema/orders.ts';
import { TEXTS } from '../schema/texts.ts';

type PersonRecord = typeof orderPersons.$inferSelect;

/** What an order says of its person; null: nothing is stored. */
export type PersonToKeep = Cleared<Omit<PersonRecord, 'shop_id' | 'order_id' | 'content_rest'>> | null;

export type StoredPerson = Readonly<Omit<typeof orderPersons.$inferSelect, 'shop_id' | 'order_id'>>;

/** What is stored of the person `p` of an order, by columns; NULL: nothing. */
export const PERSON = sql.raw(
  `CASE WHEN p.order_id IS NOT NULL THEN to_jsonb(p) - '{shop_id,order_id}'::text[] END`,
);

export type OrderPersonToKeep = {
  readonly orderId: string;
  readonly person: PersonToKeep;
  /** What the answer for its lines holds beyond the lines; undefined: what is stored stays. */
  readonly contentRest: Cleared<JsonObject> | null | undefined;
};

export function toPersonToKeep(stored: Cleared<StoredPerson>): Omit<OrderPersonToKeep, 'orderId'> {
  const { content_rest, ...columns } = stored;
  const [person, contentRest] = [columns, isJsonObject(content_rest) ? content_rest : null];
  return { person: asCleared(person), contentRest: contentRest && asCleared(contentRest) };
}

/** Made from what was. */
function asCleared<T>(part: T): Cleared<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mark for the type checker: the whole had it
  return part as Cleared<T>;
}

export async function writePersons(
  tx: Tx,
  shopId: number,
  given: readonly OrderPersonToKeep[],
): Promise<void> {
  const whole = given.flatMap((order) =>
    order.contentRest === undefined
      ? []
      : toPersonRecords(shopId, [order]).map((row) => ({
          ...row,
          content_rest: storableJson(order.contentRest ?? null),
        })),
  );
  const others = given.filter(({ contentRest }) => contentRest === undefined);
  const gone = given.flatMap(({ orderId, person }) => (person === null ? [orderId] : []));
  await upsert(tx, orderPersons, whole);
  await upsert(tx, orderPersons, toPersonRecords(shopId, others));
  if (gone.length === 0) return;
  await tx.execute(sql`
    DELETE FROM core.order_persons WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(gone)}`);
}

/** Rows without `content_rest`; none where nothing is stored. */
export const toPersonRecords = (
  shopId: number,
  given: readonly Pick<OrderPersonToKeep, 'orderId' | 'person'>[],
) =>
  given.flatMap(({ orderId, person }) =>
    person === null
      ? []
      : [{ ...person, rest: storableJson(person.rest ?? null), shop_id: shopId, order_id: orderId }],
  );

/** Keeps what the answers for lines hold beyond the lines, of orders whose person is stored. */
export async function keepContentRests(
  tx: Tx,
  shopId: number,
  given: readonly { readonly orderId: string; readonly rest: Cleared<JsonObject> | null }[],
): Promise<void> {
  const rows = given.map(({ orderId, rest }) => ({ order_id: orderId, content_rest: rest }));
  await tx.execute(sql`
    UPDATE core.order_persons p SET content_rest = given.content_rest
    FROM ${recordset(typesOf(orderPersons, ['order_id', 'content_rest']), rows, 'escaped')}
    WHERE p.shop_id = ${shopId} AND p.order_id = given.order_id
      AND p.content_rest IS DISTINCT FROM given.content_rest`);
}

/** Of orders whose persons are stored, what tells who they are: of the order, and of its account. */
export async function readKnownPersons(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, Profile>> {
  const { rows } = await db.execute<{ order_id: string; person: JsonObject; profile: JsonObject }>(sql`
    SELECT o.order_id, ${PROFILE} AS profile,
      json_build_object('fio', p.buyer_name, 'phone', p.buyer_phone, 'address', p.buyer_address) AS person
    FROM core.orders o
    LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
    LEFT JOIN core.user_persons u ON u.shop_id = o.shop_id AND u.user_oid = o.buyer_oid
    WHERE o.shop_id = ${shopId} AND o.order_id IN ${valuesIn(orderIds)}`);
  return new Map(rows.map(({ order_id, person, profile }) => [order_id, [person, profile]]));
}

/** How many texts of an order are withheld, and of its lines. */
export type Withheld = {
  readonly inOrder: number;
  readonly inLines: number;
  readonly currency: string | null;
};

/** Of those orders that have any. */
export async function readWithheld(db: Db, shopId: number, orderIds: readonly string[]) {
  const { rows } = await db.execute<Withheld & { order_id: string }>(sql`
    SELECT o.order_id, o.currency, o.withheld AS "inOrder", l.withheld AS "inLines"
    FROM core.orders o
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(withheld), 0)::int AS withheld FROM core.order_lines
      WHERE shop_id = o.shop_id AND order_id = o.order_id
    ) l
    WHERE o.shop_id = ${shopId} AND o.order_id IN ${valuesIn(orderIds)} AND o.withheld + l.withheld > 0`);
  return new Map(rows.map((row): [string, Withheld] => [row.order_id, row]));
}

/** The texts of the orders of accounts, and of their lines. */
export async function readTextsOf(tx: Tx, shopId: number, userOids: readonly string[]) {
  const { rows } = await tx.execute<OrderTexts>(sql`
    SELECT o.order_id AS "orderId", o.buyer_oid AS "userOid", o.created_on::text AS "createdOn", ${textsOf('orders')} AS "order",
      coalesce((SELECT json_agg(${textsOf('orderLines')}) FROM core.order_lines l
        WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id), '[]') AS lines
    FROM core.orders o WHERE o.shop_id = ${shopId} AND NOT o.is_guest AND o.buyer_oid IN ${valuesIn(userOids)}`);
  return rows;
}

/** The texts of a row that are searched for persons, by their columns: of an order `o`, or a line `l`. */
function textsOf(table: 'orders' | 'orderLines'): SQL {
  const [alias, writers] = table === 'orders' ? ['o', TEXTS.orders] : ['l', TEXTS.orderLines];
  const columns = Object.entries(writers).flatMap(([column, writer]) =>
    writer === 'program' ? [] : [`'${column}', ${alias}.${column}`],
  );
  return sql.raw(`json_build_object(${columns.join(', ')})`);
}

type OrderTexts = {
  readonly orderId: string;
  readonly userOid: string;
  readonly createdOn: string | null;
  readonly order: JsonObject;
  readonly lines: readonly JsonObject[];
};
