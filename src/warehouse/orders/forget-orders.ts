/** Takes the persons out of stored orders: all that is deleted of them, since no other column or payload holds any. */
import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { recordset, type WhichRows, whichRows } from '../db/upsert.ts';
import { keepNoVersions } from '../ops/change-stamp.ts';
import { PERSON, type PersonToKeep, type StoredPerson, writePersons } from './order-persons.ts';

export type PersonalOrder = {
  readonly orderId: string;
  readonly buyerOid: string | null;
  readonly fingerprint: string;
  /** The row of `core.order_persons`; null: there is none. */
  readonly person: StoredPerson | null;
};

/** Stored orders, by id. @param which these, or the next of those that are stored with something of a person */
export async function readPersonalOrders(
  db: Db,
  shopId: number,
  which: WhichRows,
): Promise<readonly PersonalOrder[]> {
  const { isAsked, limit } = whichRows(sql`o.order_id`, which);
  const holdsPerson = sql`(o.fingerprint NOT LIKE 'p:%' OR p.order_id IS NOT NULL)`;
  const { rows } = await db.execute<PersonalOrder>(sql`
    SELECT o.order_id AS "orderId", o.buyer_oid AS "buyerOid", o.fingerprint, ${PERSON} AS person
    FROM core.orders o LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
    WHERE o.shop_id = ${shopId} AND ${isAsked} AND (${'ids' in which} OR ${holdsPerson})
    ORDER BY o.order_id ${limit}`);
  return rows;
}

export type ForgottenOrder = {
  readonly orderId: string;
  readonly fingerprint: string;
  /** The number that takes the place of its account. */
  readonly standIn: string | undefined;
  /** What is kept of the person. */
  readonly person: PersonToKeep;
};

const GIVEN = { order_id: 'bigint', fingerprint: 'text', stand_in: 'bigint' };

/** What the shop did is not changed: no lines are due, and nothing counts as changed there. */
export async function forgetOrders(
  tx: Tx,
  shopId: number,
  forgotten: readonly ForgottenOrder[],
): Promise<void> {
  if (forgotten.length === 0) return;
  const given = recordset(
    GIVEN,
    forgotten.map(({ orderId, fingerprint, standIn }) => ({
      order_id: orderId,
      fingerprint,
      stand_in: standIn ?? null,
    })),
  );
  await keepNoVersions(tx);
  await tx.execute(sql`
    UPDATE core.orders o SET fingerprint = given.fingerprint, order_hash = NULL,
      buyer_oid = coalesce(given.stand_in, o.buyer_oid),
      customer_key = coalesce('u:' || given.stand_in::text, o.customer_key)
    FROM ${given} WHERE o.shop_id = ${shopId} AND o.order_id = given.order_id`);
  await tx.execute(sql`
    UPDATE core.order_versions v SET customer_key = 'u:' || given.stand_in::text FROM ${given}
    WHERE v.shop_id = ${shopId} AND v.order_id = given.order_id AND given.stand_in IS NOT NULL`);
  await tx.execute(sql`
    UPDATE raw.orders r SET payload = (r.payload - 'hash')
      || coalesce(('{"master_oid": ' || given.stand_in::text || '}')::jsonb, '{}')
    FROM ${given} WHERE r.shop_id = ${shopId} AND r.order_id = given.order_id`);
  await writePersons(
    tx,
    shopId,
    forgotten.map(({ orderId, person }) => ({
      orderId,
      person: person && { ...person, content_rest: null },
    })),
  );
}
