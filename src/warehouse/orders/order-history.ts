import { sql } from 'drizzle-orm';

import { CODE_FORM, HIDDEN_CODE } from '../../shown-code.ts';
import type { Tx } from '../db/database.ts';
import { orderHistory, type OrderRecord } from '../schema/orders.ts';
import { recordset, typesOf } from '../db/upsert.ts';

/** An order as it was seen: what a history entry is made of. */
type Observed = {
  readonly row: Pick<
    OrderRecord,
    'order_id' | 'status_code' | 'pay_status_code' | 'order_sum' | 'paid_amount' | 'updated_at'
  >;
  readonly seenAt: Temporal.Instant;
  /** The last instant at which it was seen in the state held until now; undefined where it is new. */
  readonly lastSeenAt: Temporal.Instant | undefined;
};

/** Codes of this form are always stored. */
const DOCUMENTED_FORM = new RegExp(`^$|${CODE_FORM}`);

const STATE = ['status_code', 'pay_status_code', 'order_sum', 'paid_amount'] as const;
const COLUMNS = {
  ...typesOf(orderHistory, ['order_id', ...STATE, 'source_updated_at', 'observed_at']),
  last_seen_at: 'timestamptz',
};
/** The current entries `h` of given orders that differ from what was given. */
const isOutdated = (shopId: number) => sql`
  h.shop_id = ${shopId} AND h.order_id = given.order_id AND h.observed_until IS NULL
    AND (${state('h')}) IS DISTINCT FROM (${state('given')})`;
const state = (table: string) => sql.raw(STATE.map((column) => `${table}.${column}`).join(', '));

/**
 * Adds an entry for every order whose status, payment or sums differ from its current entry, and closes that one. The
 * shop shows the present only, so an entry says when a state was first observed, and before that, until when
 * another was still seen.
 *
 * @param added orders of which this transaction wrote the first row
 * @param held all others
 * @returns those of the others that have another entry now
 */
export async function recordHistory(
  tx: Tx,
  shopId: number,
  added: readonly Observed[],
  held: readonly Observed[],
): Promise<readonly string[]> {
  if (added.length > 0) await beginHistory(tx, shopId, added);
  return held.length > 0 ? continueHistory(tx, shopId, held) : [];
}

async function beginHistory(tx: Tx, shopId: number, added: readonly Observed[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount,
      source_updated_at, observed_at, is_initial)
    SELECT ${shopId}, order_id, 1, status_code, pay_status_code, order_sum, paid_amount, source_updated_at, observed_at,
      true
    FROM ${recordset(COLUMNS, added.map(historyRecord))}`);
}

async function continueHistory(tx: Tx, shopId: number, held: readonly Observed[]) {
  const given = recordset(COLUMNS, held.map(historyRecord));
  await restoreCodes(tx, shopId, held);
  await tx.execute(sql`
    UPDATE core.order_history h SET observed_until = given.observed_at
    FROM ${given} WHERE ${isOutdated(shopId)}`);
  const { rows } = await tx.execute<{ order_id: string }>(sql`
    INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount,
      source_updated_at, not_before, observed_at, is_initial)
    SELECT ${shopId}, given.order_id, coalesce(last.seq, 0) + 1, given.status_code, given.pay_status_code,
      given.order_sum, given.paid_amount, given.source_updated_at,
      CASE WHEN last.seq IS NOT NULL THEN greatest(last.observed_at, given.last_seen_at) END,
      given.observed_at, last.seq IS NULL
    FROM ${given}
    LEFT JOIN LATERAL (
      SELECT h.seq, h.observed_at, h.observed_until FROM core.order_history h
      WHERE h.shop_id = ${shopId} AND h.order_id = given.order_id ORDER BY h.seq DESC LIMIT 1
    ) AS last ON true
    WHERE last.seq IS NULL OR last.observed_until IS NOT NULL
    RETURNING order_id::text AS order_id`);
  return rows.map((row) => row.order_id);
}

/** A hidden code that was not stored, and is now, is no change in the shop. */
async function restoreCodes(tx: Tx, shopId: number, held: readonly Observed[]): Promise<void> {
  const kinds = [
    { column: 'status_code', table: sql`core.order_statuses` },
    { column: 'pay_status_code', table: sql`core.payment_statuses` },
  ] as const;
  for (const { column, table } of kinds) {
    const own = held.filter(({ row }) => row[column] !== HIDDEN_CODE && !DOCUMENTED_FORM.test(row[column]));
    if (own.length === 0) continue;
    const name = sql.raw(column);
    await tx.execute(sql`
      UPDATE core.order_history h SET ${name} = given.${name}
      FROM ${recordset(COLUMNS, own.map(historyRecord))}, ${table} t
      WHERE h.shop_id = ${shopId} AND h.order_id = given.order_id AND h.observed_until IS NULL
        AND h.${name} = ${HIDDEN_CODE}
        AND t.shop_id = ${shopId} AND t.${name} = given.${name} AND t.shown_code = ${HIDDEN_CODE}`);
  }
}

/**
 * Corrects the current entries of orders whose payload is read in another way than before. It is no event in the shop:
 * the entry keeps its times, and no other is added.
 */
export async function correctHistory(
  tx: Tx,
  shopId: number,
  orders: readonly Pick<Observed, 'row' | 'seenAt'>[],
): Promise<void> {
  const records = orders.map((order) => historyRecord({ ...order, lastSeenAt: undefined }));
  await tx.execute(sql`
    UPDATE core.order_history h SET (${sql.raw(STATE.join(', '))}) = (${state('given')})
    FROM ${recordset(COLUMNS, records)} WHERE ${isOutdated(shopId)}`);
}

function historyRecord({ row, seenAt, lastSeenAt }: Observed) {
  return {
    order_id: row.order_id,
    status_code: row.status_code,
    pay_status_code: row.pay_status_code,
    order_sum: row.order_sum,
    paid_amount: row.paid_amount,
    source_updated_at: row.updated_at,
    observed_at: seenAt.toString(),
    last_seen_at: lastSeenAt?.toString() ?? null,
  };
}
