/** What the owner of a warehouse says of a shop's codes: which there are, and what they mean. A sync overwrites none of it. */
import { isDeepStrictEqual } from 'node:util';

import { type SQL, sql } from 'drizzle-orm';

import { isSaleStage, type OrderStage } from '../../model/status-codes.ts';
import type { Db, Tx } from '../db/database.ts';
import { orderStatuses, paymentStatuses } from '../schema/shops.ts';
import type { CodeCountRecord } from '../schema/shop-state.ts';
import { DOCUMENTED_PAYMENTS, DOCUMENTED_STATUSES } from './documented-codes.ts';

export type CodeKind = CodeCountRecord['kind'];

/** Who said what a code means: the platform's documentation, the owner, or nobody so far. */
export type SetBy = 'documentation' | 'owner' | 'nobody';

/** What a code means. A payment code only has a name. */
type Meaning = {
  readonly stage: OrderStage | null;
  readonly stage_order: number | null;
  readonly is_sale: boolean | null;
};

/** A code, and how many orders have it now, without deleted ones. */
export type OwnerCode = Meaning & {
  readonly kind: CodeKind;
  /** As `bi` shows it: the number of one that does not look like a code. */
  readonly code: string;
  readonly name: string;
  readonly orders: number;
  readonly set_by: SetBy;
};

/** Columns of a code to write; others stay as they are. */
export type CodeChanges = {
  readonly stage?: OrderStage | undefined;
  /** In the language of the shop; empty: as it was at first. */
  readonly name?: string | undefined;
  /** @default as `isSaleStage` says, where there is a stage */
  readonly isSale?: boolean | undefined;
  readonly stageOrder?: number | undefined;
};

/** `isKnown`: documented, or classified or named by the owner. `users`: what shows a code. */
const CODE_TABLES = [
  {
    kind: 'order',
    table: sql`core.order_statuses`,
    name: 'status_code',
    meaning: sql`stage, stage_order, is_sale, is_final`,
    isKnown: sql`(is_documented OR stage <> 'unknown' OR is_sale OR name <> status_code OR name_local IS NOT NULL)`,
    users: [sql`core.orders`, sql`core.order_history`, sql`core.order_versions`],
  },
  {
    kind: 'payment',
    table: sql`core.payment_statuses`,
    name: 'pay_status_code',
    meaning: sql`NULL::text, NULL::smallint, NULL::boolean, NULL::boolean`,
    isKnown: sql`(is_documented OR name <> pay_status_code OR name_local IS NOT NULL)`,
    users: [sql`core.orders`, sql`core.order_history`],
  },
] as const;

/** Codes of both tables, of some shops. */
const codes = (isAsked: SQL) => {
  const parts = CODE_TABLES.map(
    ({ kind, table, name, meaning, isKnown }) => sql`
    SELECT shop_id, ${kind} AS kind, ${name} AS column, ${sql.raw(name)} AS code, ops.code_shown(shown_code, code_no) AS shown,
      ops.code_shown(shown_name, code_no) AS shown_name, name, name_local, is_documented, ${isKnown} AS is_known, ${meaning}
    FROM ${table} WHERE ${isAsked}`,
  );
  return sql`(${sql.join(parts, sql` UNION ALL `)}) codes`;
};

type CodeRow = Meaning & {
  readonly kind: CodeKind;
  readonly code: string;
  readonly shown: string;
  readonly shown_name: string;
  readonly name: string;
  readonly name_local: string | null;
  readonly is_documented: boolean;
  readonly is_known: boolean;
  readonly is_final: boolean | null;
  readonly orders: number;
};

/** The codes of a shop: those of orders in the usual course of an order, and then those of payments. Counts all its orders. */
export async function readOwnerCodes(db: Db, shopId: number): Promise<readonly OwnerCode[]> {
  const counts = CODE_TABLES.map(
    ({ kind, name }) => sql`
    SELECT ${kind} AS kind, ${sql.raw(name)} AS code, count(*)::int AS orders FROM core.orders
    WHERE shop_id = ${shopId} AND deleted_at IS NULL GROUP BY ${sql.raw(name)}`,
  );
  const { rows } = await db.execute<CodeRow>(sql`
    SELECT codes.*, coalesce(orders, 0) AS orders FROM ${codes(sql`shop_id = ${shopId}`)}
    LEFT JOIN (${sql.join(counts, sql` UNION ALL `)}) used USING (kind, code)
    ORDER BY kind, stage_order, code COLLATE "C"`);
  return rows.map((row) => {
    const { kind, shown: code, shown_name: name, stage, stage_order, is_sale, orders } = row;
    return { kind, code, name, stage, stage_order, is_sale, orders, set_by: setBy(row) };
  });
}

function setBy(row: CodeRow): SetBy {
  if (!row.is_documented) return row.is_known ? 'owner' : 'nobody';
  const seeds: readonly Partial<CodeRow>[] = row.kind === 'order' ? DOCUMENTED_STATUSES : DOCUMENTED_PAYMENTS;
  const isAsDocumented = seeds.some((seed) => isDeepStrictEqual({ ...row, ...seed }, row));
  return isAsDocumented && row.name_local === null ? 'documentation' : 'owner';
}

const tableOf = (kind: CodeKind) => CODE_TABLES[kind === 'order' ? 0 : 1];

/**
 * Changes what a code of a shop means, at once and for past orders too: a trigger marks the sums that must be computed anew.
 * What is to be written is any subset of the columns, but not none.
 *
 * @param input the code, or its number as `bi` shows it
 * @returns the code; undefined where the shop has none of that name or number
 */
export async function changeCode(
  db: Db,
  shopId: number,
  kind: CodeKind,
  input: string,
  { stage, name, isSale, stageOrder }: CodeChanges,
): Promise<string | undefined> {
  const { table, name: column } = tableOf(kind);
  const changes = {
    stage,
    name_local: name === undefined ? undefined : name.trim() || null,
    is_sale: isSale ?? (stage && isSaleStage(stage)),
    stage_order: stageOrder,
  };
  const set = Object.entries(changes).flatMap(([changed, value]) =>
    value === undefined ? [] : [sql`${sql.raw(changed)} = ${value}`],
  );
  const code = sql.raw(column);
  const { rows } = await db.execute<{ code: string }>(sql`
    UPDATE ${table} SET ${sql.join(set, sql`, `)}
    WHERE shop_id = ${shopId} AND (${code} = ${input} OR '#' || code_no = ${input}) RETURNING ${code} AS code`);
  return rows[0]?.code;
}

/** Adds a code that no order has had, without any meaning; harmless for one that there is. One that holds a contact is stored once it is known. */
export async function addCode(db: Db, shopId: number, kind: CodeKind, code: string) {
  const own = { shop_id: shopId, name: code, is_documented: false };
  const unclassified = { stage: 'unknown', is_sale: false, is_final: false } as const;
  const added =
    kind === 'payment'
      ? db.insert(paymentStatuses).values({ ...own, pay_status_code: code })
      : db.insert(orderStatuses).values({ ...own, ...unclassified, status_code: code });
  await added.onConflictDoNothing();
}

export type ShopCode = Omit<CodeCountRecord, 'orders'> & { readonly shopId: number };

/** Codes of all shops that are not classified yet, without counting orders. */
export async function listUnclassifiedCodes(db: Db | Tx): Promise<readonly ShopCode[]> {
  const { rows } = await db.execute<ShopCode>(sql`
    SELECT DISTINCT shop_id AS "shopId", kind, shown AS code FROM ${codes(sql`true`)} WHERE NOT is_known`);
  return rows;
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
