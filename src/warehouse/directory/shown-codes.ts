/** Which status codes of the shop's own are shown: somebody may have typed a person there. */
import { type SQL, sql } from 'drizzle-orm';

import { RARE_CODE, shownCode } from '../../shown-code.ts';
import type { Db, Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';
import { fenced, type Lease } from '../ops/lease.ts';
import { markChanged, stampChanges } from '../orders/change-stamp.ts';

type CodeTable = { readonly table: SQL; readonly column: SQL };

const CODE_TABLES: Readonly<Record<'status' | 'pay_status', CodeTable>> = {
  status: { table: sql`core.order_statuses`, column: sql`status_code` },
  pay_status: { table: sql`core.payment_statuses`, column: sql`pay_status_code` },
};

/** So many customers make a code such as `packed` a category of a small shop; names are written with one capital. */
const FEW_PEERS = 3;
const PLAIN_WORD = '^([a-z_-]{1,20}|[A-Z_-]{1,20})$';

/**
 * Decides anew which codes of the shop's own behave like categories, by the customers whose orders have or had them. A shop
 * without such codes costs two look-ups.
 *
 * @param minPeers how many customers must share a code; guests without any contact do not count
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function refreshShownCodes(db: Db, lease: Lease, minPeers: number): Promise<void> {
  for (const kind of Object.values(CODE_TABLES)) await refreshCodes(db, lease, kind, minPeers);
}

async function refreshCodes(db: Db, lease: Lease, { table, column }: CodeTable, minPeers: number) {
  const { shopId } = lease;
  const { rows } = await db.execute<{ code: string; is_shared: boolean }>(sql`
    SELECT ${column} AS code, is_shared FROM ${table} WHERE shop_id = ${shopId} AND NOT is_documented`);
  if (rows.length === 0) return;
  const codes = rows.map(({ code }) => code);
  const shared = await db.execute<{ code: string }>(sql`
    SELECT h.${column} AS code FROM core.order_history h
    JOIN core.orders o ON o.shop_id = h.shop_id AND o.order_id = h.order_id
    WHERE h.shop_id = ${shopId} AND o.shop_id = ${shopId} AND o.customer_key NOT LIKE 'o:%'
      AND h.${column} IN ${valuesIn(codes, 'text')}
    GROUP BY h.${column}
    HAVING count(DISTINCT o.customer_key) >=
      CASE WHEN h.${column} COLLATE "C" ~ ${PLAIN_WORD} THEN ${Math.min(FEW_PEERS, minPeers)}::int ELSE ${minPeers}::int END`);
  const isShared = new Set(shared.rows.map(({ code }) => code).filter((code) => code !== RARE_CODE));
  const changed = rows.filter((row) => isShared.has(row.code) !== row.is_shared).map(({ code }) => code);
  if (changed.length === 0) return;
  await fenced(db, lease, (tx) =>
    tx.execute(sql`
      UPDATE ${table} SET is_shared = NOT is_shared
      WHERE shop_id = ${shopId} AND ${column} IN ${valuesIn(changed, 'text')}`),
  );
}

/** The codes of a shop that `bi` shows, as {@link shownCode}. */
export async function readShownCodes(db: Db, shopId: number): Promise<ReadonlySet<string>> {
  const { rows } = await db.execute<{ kind: string; code: string }>(sql`
    SELECT 'status' AS kind, status_code AS code FROM core.order_statuses
    WHERE shop_id = ${shopId} AND shown_code = status_code
    UNION ALL
    SELECT 'pay_status', pay_status_code FROM core.payment_statuses
    WHERE shop_id = ${shopId} AND shown_code = pay_status_code`);
  return new Set(rows.map(({ kind, code }) => shownCode(kind, code)));
}

/**
 * Removes codes that name a person: from orders and their history, where `(rare)` takes their place, and from the lists of
 * codes, as well as all hidden ones that no order has or had.
 *
 * @param isPersonal whether a hidden code names a person who must not be stored
 */
export async function forgetCodes(
  tx: Tx,
  shopId: number,
  isPersonal: (code: string) => boolean,
): Promise<void> {
  for (const { table, column } of Object.values(CODE_TABLES)) {
    const { rows } = await tx.execute<{ code: string }>(sql`
      SELECT ${column} AS code FROM ${table}
      WHERE shop_id = ${shopId} AND shown_code = ${RARE_CODE} AND ${column} <> ${RARE_CODE}`);
    const hidden = rows.map(({ code }) => code);
    if (hidden.length === 0) continue;
    const personal = hidden.filter(isPersonal);
    if (personal.length > 0) {
      await addRareCodes(tx, shopId);
      const changedAt = await stampChanges(tx, shopId);
      await tx.execute(sql`
        UPDATE core.orders SET ${column} = ${RARE_CODE}, row_changed_at = ${changedAt}
        WHERE shop_id = ${shopId} AND ${column} IN ${valuesIn(personal, 'text')}`);
      const passed = await tx.execute<{ order_id: string }>(sql`
        UPDATE core.order_history SET ${column} = ${RARE_CODE}
        WHERE shop_id = ${shopId} AND ${column} IN ${valuesIn(personal, 'text')} RETURNING order_id::text AS order_id`);
      const held = passed.rows.map((row) => row.order_id);
      await markChanged(tx, shopId, held, changedAt);
    }
    await tx.execute(sql`
      DELETE FROM ${table} t WHERE t.shop_id = ${shopId} AND t.${column} IN ${valuesIn(hidden, 'text')}
        AND NOT EXISTS (SELECT FROM core.orders o WHERE o.shop_id = ${shopId} AND o.${column} = t.${column})
        AND NOT EXISTS (SELECT FROM core.order_history h WHERE h.shop_id = ${shopId} AND h.${column} = t.${column})`);
  }
}

/** Hides the former codes of orders that are stored without their persons. */
export async function hideFormerCodes(tx: Tx, shopId: number, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  for (const { table, column } of Object.values(CODE_TABLES)) {
    const changedAt = await stampChanges(tx, shopId);
    const { rows } = await tx.execute<{ order_id: string }>(sql`
      UPDATE core.order_history h SET ${column} = ${RARE_CODE} FROM ${table} t
      WHERE h.shop_id = ${shopId} AND h.order_id IN ${valuesIn(orderIds)} AND t.shop_id = ${shopId}
        AND t.${column} = h.${column} AND t.shown_code = ${RARE_CODE} AND h.${column} <> ${RARE_CODE}
      RETURNING h.order_id::text AS order_id`);
    const held = rows.map((row) => row.order_id);
    await markChanged(tx, shopId, held, changedAt);
  }
}

async function addRareCodes(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`
    INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
    VALUES (${shopId}, ${RARE_CODE}, ${RARE_CODE}, 'unknown', false, false, false) ON CONFLICT DO NOTHING`);
  await tx.execute(sql`
    INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented)
    VALUES (${shopId}, ${RARE_CODE}, ${RARE_CODE}, false) ON CONFLICT DO NOTHING`);
}
