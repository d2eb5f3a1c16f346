/** What the owner of a warehouse says of a shop's codes: which there are, and what they mean. A sync overwrites none of it. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

import { isSaleStage, type OrderStage } from '../../model/status-codes.ts';
import type { Db, Tx } from '../db/database.ts';
import { orderStatuses, paymentStatuses } from '../schema/shops.ts';
import { DOCUMENTED_ORDER_STATUSES, DOCUMENTED_PAYMENT_STATUSES } from './documented-codes.ts';
import type { CodeCountRecord } from '../schema/shop-state.ts';

/** Who said what a code means: the platform's documentation, the owner, or nobody so far. */
export type SetBy = 'documentation' | 'owner' | 'nobody';

/** A code, and how many orders have it now, without deleted ones. */
type OwnerCode = {
  /** As `bi` shows it: the number of one that does not look like a code. */
  readonly code: string;
  readonly name: string;
  readonly orders: number;
  readonly set_by: SetBy;
};
export type OwnerStatus = OwnerCode & {
  readonly stage: OrderStage;
  readonly stage_order: number | null;
  readonly is_sale: boolean;
};

export type OwnerCodes = {
  readonly statuses: readonly OwnerStatus[];
  readonly payments: readonly OwnerCode[];
};

/** Columns of an order status to write; others stay as they are. */
export type StatusChanges = {
  readonly stage?: OrderStage;
  /** In the language of the shop; empty: as it was at first. */
  readonly name?: string;
  /** @default as `isSaleStage` says, where there is a stage */
  readonly isSale?: boolean;
  readonly stageOrder?: number;
};

type NamedRow = {
  readonly code: string;
  readonly name: string;
  readonly name_local: string | null;
  readonly is_documented: boolean;
  readonly shown: string;
  readonly shown_name: string;
  readonly orders: number;
};
type StatusRow = NamedRow & Pick<OwnerStatus, 'stage' | 'stage_order' | 'is_sale'> & { is_final: boolean };

/** The codes of a shop, in the usual course of an order. Counts all its orders. */
export async function readOwnerCodes(db: Db, shopId: number): Promise<OwnerCodes> {
  const codes = (table: SQL, code: SQL, order: SQL) => sql`
    SELECT t.*, t.${code} AS code, ops.code_shown(t.shown_code, t.code_no) AS shown,
      ops.code_shown(t.shown_name, t.code_no) AS shown_name, coalesce(o.orders, 0)::int AS orders
    FROM ${table} t
    LEFT JOIN (
      SELECT ${code}, count(*) AS orders FROM core.orders
      WHERE shop_id = ${shopId} AND deleted_at IS NULL GROUP BY ${code}
    ) o ON o.${code} = t.${code}
    WHERE t.shop_id = ${shopId}
    ORDER BY ${order} t.${code} COLLATE "C"`;
  const statuses = await db.execute<StatusRow>(
    codes(sql`core.order_statuses`, sql`status_code`, sql`t.stage_order,`),
  );
  const payments = await db.execute<NamedRow>(codes(sql`core.payment_statuses`, sql`pay_status_code`, sql``));
  return {
    statuses: statuses.rows.map((row) => {
      const { stage, stage_order, is_sale } = row;
      return { ...toCode(row, isAsSeeded(row)), stage, stage_order, is_sale };
    }),
    payments: payments.rows.map((row) => toCode(row, isNamedAsSeeded(row))),
  };
}

/**
 * Changes what a status of a shop means, at once and for past orders too: a trigger marks the sums that must be computed anew.
 * What is to be written is any subset of the columns, but not none.
 *
 * @returns the code; undefined where the shop has none of that name or number
 */
export async function changeStatus(
  db: Db,
  shopId: number,
  code: string,
  { stage, name, isSale, stageOrder }: StatusChanges,
): Promise<string | undefined> {
  const sale = isSale ?? (stage && isSaleStage(stage));
  const [changed] = await db
    .update(orderStatuses)
    .set({
      ...(stage !== undefined && { stage }),
      ...(name !== undefined && { name_local: localName(name) }),
      ...(sale !== undefined && { is_sale: sale }),
      ...(stageOrder !== undefined && { stage_order: stageOrder }),
    })
    .where(
      and(eq(orderStatuses.shop_id, shopId), isCode(orderStatuses.status_code, orderStatuses.code_no, code)),
    )
    .returning({ code: orderStatuses.status_code });
  return changed?.code;
}

/** Names a payment status of a shop. @returns the code; undefined where the shop has none of that name or number */
export async function namePaymentStatus(db: Db, shopId: number, code: string, name: string) {
  const [changed] = await db
    .update(paymentStatuses)
    .set({ name_local: localName(name) })
    .where(
      and(
        eq(paymentStatuses.shop_id, shopId),
        isCode(paymentStatuses.pay_status_code, paymentStatuses.code_no, code),
      ),
    )
    .returning({ code: paymentStatuses.pay_status_code });
  return changed?.code;
}

/** @param given the code, or its number as `bi` shows it */
function isCode(code: AnyPgColumn, number: AnyPgColumn, given: string): SQL {
  return sql`(${code} = ${given} OR '#' || ${number} = ${given})`;
}

/** Adds a code that no order has had, without any meaning; harmless for one that there is. One that holds a contact is stored once it is known. */
export async function addCode(db: Db, shopId: number, kind: 'order' | 'payment', code: string) {
  const own = { shop_id: shopId, name: code, is_documented: false };
  const added =
    kind === 'payment'
      ? db.insert(paymentStatuses).values({ ...own, pay_status_code: code })
      : db.insert(orderStatuses).values({ ...own, ...UNCLASSIFIED, status_code: code });
  await added.onConflictDoNothing();
}

const UNCLASSIFIED = { stage: 'unknown', is_sale: false, is_final: false } as const;
const localName = (name: string) => (name.trim() === '' ? null : name.trim());

function toCode({ shown, shown_name, is_documented, orders }: NamedRow, isSeeded: boolean): OwnerCode {
  const seededBy = is_documented ? 'documentation' : 'nobody';
  return { code: shown, name: shown_name, orders, set_by: isSeeded ? seededBy : 'owner' };
}

/** Whether a status is as a sync adds it: as documented, or without any meaning. */
function isAsSeeded(row: StatusRow): boolean {
  const { code, name, name_local, stage, stage_order, is_sale, is_final, is_documented } = row;
  const index = DOCUMENTED_ORDER_STATUSES.findIndex(({ status_code }) => status_code === code);
  const seed = is_documented ? DOCUMENTED_ORDER_STATUSES[index] : { ...UNCLASSIFIED, name: code };
  return (
    name_local === null &&
    stage_order === (is_documented ? index : null) &&
    seed?.name === name &&
    seed.stage === stage &&
    seed.is_sale === is_sale &&
    seed.is_final === is_final
  );
}

function isNamedAsSeeded({ code, name, name_local, is_documented }: NamedRow): boolean {
  const seed = DOCUMENTED_PAYMENT_STATUSES.find(({ pay_status_code }) => pay_status_code === code);
  return name_local === null && name === (is_documented ? seed?.name : code);
}

/** The unclassified codes of a shop, the most used first. */
export async function readUnclassifiedCodes(db: Db | Tx, shopId: number) {
  const { rows } = await db.execute<CodeCountRecord>(sql`
    SELECT kind, code, orders::int AS orders FROM bi.unclassified_statuses
    WHERE shop_id = ${shopId}
    ORDER BY bi.unclassified_statuses.orders DESC, kind, code`);
  return rows;
}

export type ShopCode = Omit<CodeCountRecord, 'orders'> & { readonly shopId: number };

/** `isKnown`: documented, or classified or named by the owner. `users`: what shows a code. */
const CODE_TABLES = [
  {
    kind: 'order',
    table: sql`core.order_statuses`,
    name: 'status_code',
    isKnown: sql`(is_documented OR stage <> 'unknown' OR is_sale OR name <> status_code OR name_local IS NOT NULL)`,
    users: [sql`core.orders`, sql`core.order_history`, sql`core.order_versions`],
  },
  {
    kind: 'payment',
    table: sql`core.payment_statuses`,
    name: 'pay_status_code',
    isKnown: sql`(is_documented OR name <> pay_status_code OR name_local IS NOT NULL)`,
    users: [sql`core.orders`, sql`core.order_history`],
  },
];

/** Codes of both tables, of some shops. */
const codes = (isAsked: SQL) => {
  const parts = CODE_TABLES.map(
    ({ kind, table, name, isKnown }) => sql`
    SELECT shop_id, ${kind} AS kind, ${name} AS column, ${sql.raw(name)} AS code,
      ops.code_shown(shown_code, code_no) AS shown, ${isKnown} AS is_known
    FROM ${table} WHERE ${isAsked}`,
  );
  return sql`(${sql.join(parts, sql` UNION ALL `)}) codes`;
};

/** Codes of all shops that are not classified yet, without counting orders. */
export async function listUnclassifiedCodes(db: Db | Tx): Promise<readonly ShopCode[]> {
  const { rows } = await db.execute<{ shop_id: number } & Omit<ShopCode, 'shopId'>>(sql`
    SELECT DISTINCT shop_id, kind, shown AS code FROM ${codes(sql`true`)} WHERE NOT is_known`);
  return rows.map(({ shop_id: shopId, kind, code }) => ({ shopId, kind, code }));
}

/** The codes of a shop that are documented, or that the owner classified or named. */
export async function readKnownCodes(db: Db, shopId: number) {
  const { rows } = await db.execute<{ column: string; code: string }>(sql`
    SELECT codes.column, code FROM ${codes(sql`shop_id = ${shopId}`)} WHERE is_known`);
  return rows;
}

/**
 * Removes codes that nobody classified, and that no order has or had any more: the person of an account was typed there. What was
 * counted of them goes too, until the next survey.
 */
export async function removeUnusedCodes(tx: Tx, shopId: number): Promise<void> {
  for (const { table, name, isKnown, users } of CODE_TABLES) {
    const column = sql.raw(name);
    const unused = users.map(
      (user) =>
        sql`NOT EXISTS (SELECT FROM ${user} u WHERE u.shop_id = ${shopId} AND u.${column} = t.${column})`,
    );
    await tx.execute(sql`
      DELETE FROM ${table} t WHERE t.shop_id = ${shopId} AND NOT ${isKnown}
        AND ${sql.join(unused, sql` AND `)}`);
  }
  await tx.execute(
    sql`UPDATE ops.shop_figures SET unclassified = NULL, surveyed_at = NULL WHERE shop_id = ${shopId}`,
  );
}
