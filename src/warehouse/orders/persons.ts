/** What is stored of the persons of orders, in `core.order_persons` and nowhere else, and who the persons of their accounts are. */
import { type SQL, sql } from 'drizzle-orm';

import type { Cleared, Profile } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Db, Tx } from '../db/database.ts';
import { upsert, valuesIn } from '../db/upsert.ts';
import { orderPersons } from '../schema/orders.ts';
import { TEXTS } from '../schema/texts.ts';

export type StoredPerson = Readonly<Omit<typeof orderPersons.$inferSelect, 'shop_id' | 'order_id'>>;

/**
 * What an order says of its person; null: nothing is stored. What the answer for its lines holds beyond them stays as it is stored
 * where it is left out.
 */
export type PersonToKeep = Cleared<
  Omit<StoredPerson, 'content_rest'> & Partial<Pick<StoredPerson, 'content_rest'>>
> | null;

/** What is stored of the person `p` of an order, by columns; NULL: nothing. */
export const PERSON = sql.raw(
  `CASE WHEN p.order_id IS NOT NULL THEN to_jsonb(p) - '{shop_id,order_id}'::text[] END`,
);

export type OrderPersonToKeep = { readonly orderId: string; readonly person: PersonToKeep };

export async function writePersons(
  tx: Tx,
  shopId: number,
  input: readonly OrderPersonToKeep[],
): Promise<void> {
  const rows = input.flatMap(({ orderId, person }) =>
    person === null ? [] : [{ ...person, shop_id: shopId, order_id: orderId }],
  );
  await upsert(tx, orderPersons, rows);
  const gone = input.flatMap(({ orderId, person }) => (person === null ? [orderId] : []));
  if (gone.length === 0) return;
  await tx.execute(sql`
    DELETE FROM core.order_persons WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(gone)}`);
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

/** What is stored of accounts by which their persons are recognized. */
export const PROFILE =
  sql.raw(`json_build_object('login', u.login, 'email', u.email, 'phone', u.phone, 'name', u.name,
  'org_name', u.org_name, 'address', u.address)`);

/** By the numbers of the accounts: none of those whose persons are not stored. */
export async function readProfiles(
  db: Db | Tx,
  shopId: number,
  userOids: readonly string[],
): Promise<ReadonlyMap<string, Profile>> {
  if (userOids.length === 0) return new Map();
  const { rows } = await db.execute<{ user_oid: string; profile: JsonObject }>(sql`
    SELECT u.user_oid, ${PROFILE} AS profile FROM core.user_persons u
    WHERE u.shop_id = ${shopId} AND u.user_oid IN ${valuesIn(userOids)}`);
  return new Map(rows.map(({ user_oid, profile }) => [user_oid, [profile]]));
}
