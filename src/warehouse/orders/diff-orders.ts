import { sql } from 'drizzle-orm';

import type { Window } from '../../model/window.ts';
import type { Db, Tx } from '../db/database.ts';
import type { RowOf } from '../db/rows.ts';
import { recordset } from '../db/upsert.ts';
import { HELD_COLUMNS, HELD_ORDERS, type HeldOrder, toHeldOrder } from './stored-orders.ts';

export type ListedOrder = { readonly orderId: string; readonly fingerprint: string };

/**
 * `lines`: the row is the same, but the lines are due again. `returned`: it is the same, and counted as missing so far.
 * `seen`: it is the same, and was in doubt. `unlisted`: stored in the window, not deleted, and not listed.
 */
type OrderChange = 'new' | 'changed' | 'lines' | 'returned' | 'seen' | 'unlisted';

export type DifferingOrder = {
  readonly orderId: string;
  readonly change: OrderChange;
  /** Undefined where it is new. */
  readonly held: HeldOrder | undefined;
  /** Live orders that are stored in the window. */
  readonly live: number;
};

/**
 * Compares listed orders with the stored ones. A full join is never planned as nested loops, which statistics that do not know a new
 * shop would suggest.
 *
 * @param window of which all orders were listed. @default none: no order is unlisted
 * @param linesBefore lines of an open order that were fetched before are due again
 * @returns those that differ
 */
export async function diffOrders(
  db: Db | Tx,
  shopId: number,
  listed: readonly ListedOrder[],
  window: Window | undefined,
  linesBefore: Temporal.Instant,
): Promise<readonly DifferingOrder[]> {
  if (listed.length === 0 && window === undefined) return [];
  const isInWindow = window
    ? sql`(o.created_local >= ${window.from.toString()} AND o.created_local < ${window.to.toString()})`
    : sql`false`;
  const ids = `{${listed.map(({ orderId }) => orderId).join(',')}}`;
  const given = listed.map(({ orderId, fingerprint }) => ({ order_id: orderId, print: fingerprint }));
  type Row = RowOf<HeldOrder> & { listedId: string | null } & Omit<RowOf<DifferingOrder>, 'held'>;
  const { rows } = await db.execute<Row>(sql`
    WITH given AS MATERIALIZED (SELECT * FROM ${recordset({ order_id: 'bigint', print: 'text' }, given)}),
    held AS MATERIALIZED (
      SELECT ${HELD_COLUMNS}, ${isInWindow} IS TRUE AS in_window,
        NOT s.is_final AND o.lines_state IN ('ok', 'doubtful') AND o.lines_fetched_at <= ${linesBefore.toString()} AS are_lines_due
      FROM ${HELD_ORDERS}
      JOIN core.order_statuses s ON s.shop_id = o.shop_id AND s.status_code = o.status_code
      WHERE o.shop_id = ${shopId} AND (${isInWindow} OR o.order_id = ANY (${ids}::bigint[]))),
    compared AS (
      SELECT held.*, given.order_id AS "listedId",
        CASE WHEN held."orderId" IS NULL THEN 'new'
          WHEN given.order_id IS NULL THEN CASE WHEN NOT "isMarked" OR "missingSince" IS NOT NULL THEN 'unlisted' END
          WHEN fingerprint <> print THEN 'changed'
          WHEN are_lines_due THEN 'lines'
          WHEN "isMarked" THEN 'returned'
          WHEN "doubtedMs" IS NOT NULL THEN 'seen' END AS change,
        count(*) FILTER (WHERE in_window AND NOT "isMarked") OVER ()::int AS live
      FROM given FULL JOIN held ON held."orderId" = given.order_id)
    SELECT * FROM compared WHERE change IS NOT NULL`);
  return rows.map(({ listedId, change, live, ...held }) => ({
    orderId: listedId ?? held.orderId,
    change,
    held: change === 'new' ? undefined : toHeldOrder(held),
    live,
  }));
}
