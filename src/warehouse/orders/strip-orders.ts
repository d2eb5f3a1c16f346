/** Takes the persons out of stored orders: their rows in `core.order_persons`, and what was typed where it does not belong. */
import { type SQL, sql } from 'drizzle-orm';

import type { JsonObject } from '../../model/json.ts';
import { HIDDEN_CODE } from '../../model/status-codes.ts';
import type { Db, Tx } from '../db/database.ts';
import { recordset, typesOf, upsert, valuesIn, type WhichRows, whichRows } from '../db/upsert.ts';
import { orderLines, orders } from '../schema/orders.ts';
import { stampChanges } from '../ops/change-stamp.ts';
import {
  type OrderPersonToKeep,
  parseStoredPerson,
  type StoredPerson,
  writePersons,
} from './order-persons.ts';
import { addReferences } from './load-orders.ts';

const COLUMNS = [
  'color',
  'currency',
  'pay_method',
  'discount_raw',
  'delivery_name',
  'order_hash',
  'status_code',
  'pay_status_code',
] as const;

/** A stored order, as far as somebody may have typed a person into it. */
export type TypedOrder = {
  readonly orderId: string;
  readonly buyerOid: string | null;
  readonly columns: Pick<typeof orders.$inferSelect, (typeof COLUMNS)[number]>;
  readonly fingerprint: string;
  /** Codes that it had before. */
  readonly formerCodes: Readonly<Record<'status_code' | 'pay_status_code', readonly string[]>>;
  /** The row of `core.order_persons`; null: there is none. */
  readonly person: StoredPerson | null;
};

/** Stored orders, by id. @param which these, or the next of those that are stored with something of a person */
export async function readTypedOrders(
  db: Db,
  shopId: number,
  which: WhichRows,
): Promise<readonly TypedOrder[]> {
  const { isAsked, limit } = whichRows(sql`o.order_id`, which);
  const holdsPerson = sql`(o.fingerprint NOT LIKE 'p:%' OR p.order_id IS NOT NULL)`;
  const former = (column: SQL) => sql`ARRAY(
    SELECT DISTINCT h.${column} FROM core.order_history h WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id)`;
  const { rows } = await db.execute<
    TypedOrder['columns'] & Omit<TypedOrder, 'columns' | 'person'> & { person: string | null }
  >(sql`
    SELECT o.order_id AS "orderId", o.buyer_oid AS "buyerOid", o.fingerprint, ${sql.raw(COLUMNS.map((column) => `o.${column}`).join(', '))},
      json_build_object('status_code', ${former(sql`status_code`)}, 'pay_status_code', ${former(sql`pay_status_code`)})
        AS "formerCodes",
      CASE WHEN p.order_id IS NOT NULL THEN to_json(p)::text END AS person
    FROM core.orders o LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
    WHERE o.shop_id = ${shopId} AND ${isAsked} AND (${'ids' in which} OR ${holdsPerson})
    ORDER BY o.order_id ${limit}`);
  return rows.map(({ orderId, buyerOid, fingerprint, formerCodes, person, ...columns }) => ({
    orderId,
    buyerOid,
    fingerprint,
    columns,
    formerCodes,
    person: person === null ? null : parseStoredPerson(person),
  }));
}

export type StrippedOrder = {
  readonly orderId: string;
  /** All typed columns, as they are to be. */
  readonly columns: TypedOrder['columns'];
  readonly fingerprint: string;
  /** Fields of the payload to replace. */
  readonly fields: JsonObject;
  /** Codes of its past to hide. */
  readonly hiddenCodes: TypedOrder['formerCodes'];
  /** The number that takes the place of its account. */
  readonly standIn: string | undefined;
  /** Undefined: what is stored of the person stays. */
  readonly person: Omit<OrderPersonToKeep, 'orderId'> | undefined;
};

const GIVEN = {
  ...typesOf(orders, ['order_id', 'fingerprint', ...COLUMNS]),
  fields: 'jsonb',
  stand_in: 'bigint',
  codes: 'text[]',
  payments: 'text[]',
};

/** Writes what is left of orders. What the shop did is not changed: no lines are due, and nothing counts as changed there. */
export async function writeStripped(
  tx: Tx,
  shopId: number,
  stripped: readonly StrippedOrder[],
): Promise<void> {
  if (stripped.length === 0) return;
  const given = recordset(
    GIVEN,
    stripped.map(({ orderId, columns, fields, fingerprint, standIn, hiddenCodes }) => ({
      order_id: orderId,
      ...columns,
      fingerprint,
      fields: { ...fields, ...(standIn === undefined ? {} : { master_oid: standIn }) },
      stand_in: standIn ?? null,
      codes: hiddenCodes.status_code,
      payments: hiddenCodes.pay_status_code,
    })),
    'escaped',
  );
  const isHiding = stripped.some(({ hiddenCodes }) =>
    Object.values(hiddenCodes).some((codes) => codes.length > 0),
  );
  const hidden = { status_code: HIDDEN_CODE, pay_status_code: HIDDEN_CODE, buyer_oid: null };
  const references = stripped.map(({ columns, standIn }) => ({ ...columns, buyer_oid: standIn ?? null }));
  await addReferences(tx, shopId, isHiding ? [...references, hidden] : references);
  await stampChanges(tx, shopId);
  // What is taken out must not remain as what was there before.
  await tx.execute(sql`SELECT set_config('order_sync.versions', 'none', true)`);
  await tx.execute(sql`
    UPDATE core.orders o SET ${sql.raw(COLUMNS.map((column) => `${column} = given.${column}`).join(', '))},
      discount_percent = CASE WHEN given.discount_raw IS NOT NULL OR o.discount_raw IS NULL THEN o.discount_percent END,
      buyer_oid = coalesce(given.stand_in, o.buyer_oid), customer_key = coalesce('u:' || given.stand_in::text, o.customer_key),
      fingerprint = given.fingerprint
    FROM ${given} WHERE o.shop_id = ${shopId} AND o.order_id = given.order_id`);
  await tx.execute(sql`
    UPDATE core.order_versions v SET customer_key = o.customer_key,
      status_code = CASE WHEN v.status_code = ANY (given.codes) THEN ${HIDDEN_CODE} ELSE v.status_code END,
      currency = CASE WHEN v.currency = o.currency OR v.currency ~ '^[A-Z]{3}$' THEN v.currency END
    FROM ${given} JOIN core.orders o ON o.shop_id = ${shopId} AND o.order_id = given.order_id
    WHERE v.shop_id = ${shopId} AND v.order_id = given.order_id`);
  await tx.execute(sql`
    UPDATE raw.orders r SET payload = r.payload || given.fields FROM ${given}
    WHERE r.shop_id = ${shopId} AND r.order_id = given.order_id AND given.fields <> '{}'`);
  if (isHiding) {
    await tx.execute(sql`
      UPDATE core.order_history h SET
        status_code = CASE WHEN h.status_code = ANY (given.codes) THEN ${HIDDEN_CODE} ELSE h.status_code END,
        pay_status_code = CASE WHEN h.pay_status_code = ANY (given.payments) THEN ${HIDDEN_CODE} ELSE h.pay_status_code END
      FROM ${given} WHERE h.shop_id = ${shopId} AND h.order_id = given.order_id
        AND (h.status_code = ANY (given.codes) OR h.pay_status_code = ANY (given.payments))`);
  }
  const persons = stripped.flatMap(({ orderId, person }) =>
    person === undefined ? [] : [{ orderId, ...person }],
  );
  await writePersons(tx, shopId, persons);
}

export type LineTexts = {
  readonly orderId: string;
  readonly lineNo: number;
  readonly texts: Pick<typeof orderLines.$inferSelect, 'code' | 'product_name' | 'sku' | 'discount_raw'>;
};

export async function readLineTexts(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<readonly LineTexts[]> {
  const { rows } = await db.execute<{ order_id: string; line_no: number } & LineTexts['texts']>(sql`
    SELECT order_id, line_no, code, product_name, sku, discount_raw FROM core.order_lines
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(orderIds)}`);
  return rows.map(({ order_id: orderId, line_no: lineNo, ...texts }) => ({ orderId, lineNo, texts }));
}

export async function writeLineTexts(tx: Tx, shopId: number, lines: readonly LineTexts[]): Promise<void> {
  if (lines.length === 0) return;
  await stampChanges(tx, shopId);
  const rows = lines.map(({ orderId, lineNo, texts }) => ({
    shop_id: shopId,
    order_id: orderId,
    line_no: lineNo,
    ...texts,
  }));
  await upsert(tx, orderLines, rows);
}
