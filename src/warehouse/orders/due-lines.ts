/** Orders whose lines could not be fetched, or contradict the order: they are requested again, by `ops.due`. */
import { sql } from 'drizzle-orm';

import { counted } from '../../model/amount-text.ts';
import type { Profile } from '../../model/persons.ts';
import type { Db, Tx } from '../db/database.ts';
import { update, valuesIn } from '../db/upsert.ts';
import { dropDue, putDue, toTriedRow } from '../ops/due.ts';
import { orders, STRIPPED_FORM } from '../schema/orders.ts';
import { PROFILE } from './persons.ts';

/** Orders whose lines could not be fetched for one reason. */
export type LineFailure = {
  readonly reason: string;
  readonly orders: number;
  /** The first few of them. */
  readonly order_ids: readonly string[];
};

/** So many orders are named. */
const NAMED_ORDERS = 5;

/** A sentence without a capital and a full stop: `the lines of order 17 could not be fetched: the shop answered HTTP 500`. */
export function describeLineFailure({ reason, orders, order_ids: ids }: LineFailure): string {
  const named = ids.slice(0, NAMED_ORDERS).join(', ');
  const others = orders - Math.min(ids.length, NAMED_ORDERS);
  const more = others > 0 ? ` and ${counted(others, 'other')}` : '';
  return `the lines of ${orders === 1 ? 'order' : 'orders'} ${named}${more} could not be fetched: ${reason}`;
}

/** Whether the stored reason of a run is such a sentence. */
export const isLineFailure = (reason: string) =>
  /^the lines of orders? .+ could not be fetched: /.test(reason);

/** An order whose lines are wanted again. */
export type DueLines = {
  readonly orderId: string;
  readonly attempts: number;
  readonly isDoubtful: boolean;
  /** As its list row has it. */
  readonly itemCount: string | null;
  /** It is stored without its person. */
  readonly isStripped: boolean;
  /** What is stored of its person, and of its account's. */
  readonly known: Profile;
};

const IN_BOOK = sql`ops.due d JOIN core.orders o ON o.shop_id = d.shop_id AND o.order_id = d.key::bigint
  AND o.lines_state <> 'ok' AND o.missing_since IS NULL AND o.deleted_at IS NULL`;

/** Live orders whose lines are to be asked for now: first those that were asked for seldom. */
export async function readDueLines(
  db: Db,
  shopId: number,
  limit: number,
  now: Temporal.Instant,
): Promise<readonly DueLines[]> {
  const { rows } = await db.execute<DueLines>(sql`
    SELECT o.order_id AS "orderId", d.attempts, o.lines_state = 'doubtful' AS "isDoubtful",
      o.item_count AS "itemCount", o.fingerprint ~ ${STRIPPED_FORM} AS "isStripped", json_build_array(
        json_build_object('fio', p.buyer_name, 'phone', p.buyer_phone, 'address', p.buyer_address), ${PROFILE}) AS known
    FROM ${IN_BOOK}
    LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
    LEFT JOIN core.user_persons u ON u.shop_id = o.shop_id AND u.user_oid = o.buyer_oid
    WHERE d.shop_id = ${shopId} AND d.kind = 'lines' AND d.due_at <= ${now.toString()}
    ORDER BY d.attempts, d.due_at, o.order_id LIMIT ${limit}`);
  return rows;
}

/** Lines that could not be fetched, by shop and reason; the reason of the most orders first. */
export async function readLineFailures(db: Db | Tx, shopIds: readonly number[]) {
  const { rows } = await db.execute<LineFailure & { shop_id: number }>(sql`
    SELECT d.shop_id, d.reason, count(*)::int AS orders,
      (array_agg(d.key ORDER BY o.order_id))[1:${NAMED_ORDERS}::int] AS order_ids
    FROM ${IN_BOOK}
    WHERE d.shop_id IN ${valuesIn(shopIds.map(String))} AND d.kind = 'lines' AND d.reason IS NOT NULL
    GROUP BY d.shop_id, d.reason ORDER BY orders DESC, d.reason`);
  return rows;
}

/**
 * Looked up for each order `o`: a join may be planned for one row where statistics do not know the shop, and is quadratic for many. By
 * the order's own shop, since a Citus takes no other.
 */
const CHECK = sql`
  CROSS JOIN LATERAL (
    SELECT kept, is_doubtful FROM core.line_checks WHERE shop_id = o.shop_id AND order_id = o.order_id OFFSET 0) c`;

/** What `kept` of `core.line_checks` says, in its order: the count first. */
const RELATIONS = '{lines,units,total,total+delivery,discounted,discounted+delivery,list,list+delivery}';

/**
 * Learns what a shop's count and sum are of an order's lines: what nine of ten of its latest 300 orders keep. Few orders, or one figure
 * in all of them, such as a count of 1, prove nothing.
 */
export async function learnLineRelations(db: Db, shopId: number): Promise<readonly string[]> {
  const { rows } = await db.execute<{ relation: string }>(sql`
    SELECT r.relation
    FROM core.orders o
    ${CHECK}
    CROSS JOIN LATERAL unnest(c.kept, ${RELATIONS}::text[]) WITH ORDINALITY AS r(is_kept, relation, place)
    WHERE o.shop_id = ${shopId} AND o.order_id IN (
      SELECT order_id FROM core.orders
      WHERE shop_id = ${shopId} AND created_local IS NOT NULL AND deleted_at IS NULL AND lines_state IN ('ok', 'doubtful')
      ORDER BY created_local DESC LIMIT 300)
    GROUP BY r.relation, r.place
    HAVING count(*) FILTER (WHERE r.is_kept) >= greatest(30, 0.9 * count(r.is_kept))
      AND count(DISTINCT CASE WHEN r.place <= 2 THEN o.item_count ELSE o.order_sum END) FILTER (WHERE r.is_kept) >= 3
    ORDER BY r.place`);
  return rows.map(({ relation }) => relation);
}

/** An order whose lines are in, and whether they contradict it. */
type CheckedLines = { readonly orderId: string; readonly isDoubtful: boolean };

/**
 * Orders whose lines are doubtful by `core.line_checks` and not marked so, or the other way round.
 *
 * @param since unmarked orders that last changed before this are not checked; undefined: all are
 * @param after only orders with a greater number; undefined: from the first on
 */
export async function readWrongMarks(
  db: Db,
  shopId: number,
  since: Temporal.Instant | undefined,
  after: string | undefined,
  limit: number,
): Promise<readonly CheckedLines[]> {
  const isSelected =
    since === undefined ? sql`true` : sql`(o.changed_at >= ${since.toString()} OR o.lines_state <> 'ok')`;
  const { rows } = await db.execute<CheckedLines>(sql`
    SELECT o.order_id AS "orderId", c.is_doubtful AS "isDoubtful"
    FROM core.orders o
    ${CHECK}
    WHERE o.shop_id = ${shopId} AND ${isSelected} AND o.lines_state IN ('ok', 'doubtful')
      AND (o.lines_state = 'doubtful') <> c.is_doubtful AND o.order_id > coalesce(${after ?? null}::bigint, -9223372036854775808)
    ORDER BY o.order_id LIMIT ${limit}`);
  return rows;
}

/** Marks lines as doubtful, and requests these again at once, or removes that mark. */
export async function markLines(
  tx: Tx,
  shopId: number,
  checked: readonly CheckedLines[],
  now: Temporal.Instant,
): Promise<void> {
  const marks = checked.map(({ orderId, isDoubtful }) => {
    return { order_id: orderId, lines_state: isDoubtful ? 'doubtful' : 'ok', lines_attempts: 0 };
  });
  await update(tx, orders, shopId, marks);
  const { doubtful = [], ok = [] } = Object.groupBy(marks, (mark) => mark.lines_state);
  const rows = doubtful.map((mark) => toTriedRow('lines', mark.order_id, 0, now, null));
  await putDue(tx, shopId, rows);
  const settled = ok.map((mark) => mark.order_id);
  await dropDue(tx, shopId, 'lines', settled);
}
