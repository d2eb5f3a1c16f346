/** Orders whose lines are not in, or contradict their list row. */
import { type SQL, sql } from 'drizzle-orm';

import type { OrderFigures, LineFacts } from '../../model/stored-order.ts';
import type { Db, Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';
import { IS_LIVE } from './live-orders.ts';
import { STRIPPED_FORM } from '../schema/orders.ts';
import { stampChanges } from '../ops/change-stamp.ts';

/** An order whose lines are wanted again. */
export type DueLines = {
  readonly orderId: string;
  readonly attempts: number;
  readonly isDoubtful: boolean;
  /** As its list row has them. */
  readonly figures: OrderFigures;
  /** It is stored without its person. */
  readonly isStripped: boolean;
};

/** Orders of one transaction. */
const BATCH = 100;

/** Which lines are asked for again, and when. */
export type LinesRetries = {
  /** After a failure. The pause doubles with each further one, up to so many times. */
  readonly failed: { readonly firstPauseMs: number; readonly maxDoublings: number };
  /** After the second request for doubtful lines, of so many orders that stand for all. The pause doubles with each further one. */
  readonly doubtful: {
    readonly firstPauseMs: number;
    readonly maxDoublings: number;
    readonly watched: number;
    readonly sample: number;
  };
};

/**
 * Live orders whose lines are not in, and whose last try is long enough ago; those with doubtful lines that were not asked for again
 * yet; and a sample of the other doubtful ones, those first that were asked for seldom.
 *
 * @param doubts which of the latter: none, those that are due, or all without regard to pauses
 * @param since of the latter, those that were asked for since then are left out
 * @param now by the clock that the tries were dated with
 */
export async function readDueLines(
  db: Db,
  shopId: number,
  { failed, doubtful }: LinesRetries,
  doubts: 'none' | 'due' | 'all',
  since: Temporal.Instant,
  now: Temporal.Instant,
): Promise<readonly DueLines[]> {
  const present = sql`${now.toString()}::timestamptz`;
  // A try in the future was dated by a clock that ran ahead.
  const isPast = (
    firstPauseMs: number,
    doublings: SQL,
  ) => sql`(lines_fetched_at > ${present} OR lines_fetched_at <=
    ${present} - make_interval(secs => ${firstPauseMs / 1000} * power(2, ${doublings})))`;
  const doublings = sql`least(greatest(lines_attempts - 1, 0), ${failed.maxDoublings}::int)`;
  const doubtDoublings = sql`least(lines_attempts - 2, ${doubtful.maxDoublings}::int)`;
  const isDue = sql`lines_attempts < 2
    OR order_id IN (SELECT order_id FROM watched) AND ${isPast(doubtful.firstPauseMs, doubtDoublings)}`;
  const isDoubtDue = { none: sql`false`, due: isDue, all: sql`true` }[doubts];
  const { rows } = await db.execute<OrderFigures & Omit<DueLines, 'figures'>>(sql`
    WITH lacking AS (
      SELECT order_id, lines_fetched_at, lines_attempts, lines_state = 'doubtful' AS is_doubtful,
        fingerprint ~ ${STRIPPED_FORM} AS is_stripped, ${FIGURES}
      FROM core.orders WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND ${IS_LIVE}
    ), watched AS (
      SELECT order_id FROM lacking WHERE is_doubtful ORDER BY md5(order_id::text) LIMIT ${doubtful.watched}
    )
    (SELECT ${DUE} FROM lacking
    WHERE CASE WHEN is_doubtful THEN lines_attempts = 0
      ELSE lines_fetched_at IS NULL OR ${isPast(failed.firstPauseMs, doublings)} END
    ORDER BY lines_fetched_at NULLS FIRST, order_id LIMIT ${BATCH})
    UNION ALL
    (SELECT ${DUE} FROM lacking
    WHERE is_doubtful AND lines_attempts > 0 AND lines_fetched_at NOT BETWEEN ${since.toString()}::timestamptz AND ${present}
      AND (${isDoubtDue})
    ORDER BY lines_attempts, lines_fetched_at, order_id LIMIT ${doubts === 'all' ? BATCH : doubtful.sample})`);
  return rows.map(({ orderId, attempts, isDoubtful, isStripped, ...figures }) => {
    return { orderId, attempts, isDoubtful, isStripped, figures };
  });
}

const FIGURES = sql.raw('item_count, order_sum, delivery_price, discount_raw, discount_percent');
const DUE = sql`order_id AS "orderId", lines_attempts AS attempts, is_doubtful AS "isDoubtful", is_stripped AS "isStripped",
  ${FIGURES}`;

/** Live orders whose lines are not in, or doubtful. */
export async function countWithoutLines(db: Db, shopId: number) {
  const { rows } = await db.execute<{ orders: number; doubtful: number }>(sql`
    SELECT count(*)::int AS orders, (count(*) FILTER (WHERE lines_state = 'doubtful'))::int AS doubtful FROM core.orders
    WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND ${IS_LIVE}`);
  return rows[0] ?? { orders: 0, doubtful: 0 };
}

/** Lets the next sweep ask for all doubtful lines again. @returns how many orders have such */
export async function makeDoubtsDue(tx: Tx, shopId: number): Promise<number> {
  const { rows } = await tx.execute(sql`
    UPDATE core.orders SET lines_attempts = 0
    WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND lines_state = 'doubtful' AND ${IS_LIVE} RETURNING 1`);
  return rows.length;
}

/** Lines that are in become doubtful, or are so no more. */
export async function markDoubts(
  tx: Tx,
  shopId: number,
  state: 'doubtful' | 'ok',
  orderIds: readonly string[],
): Promise<void> {
  if (orderIds.length === 0) return;
  await stampChanges(tx, shopId);
  // Found among many orders: asked for like those that were found before, a few at a time.
  await tx.execute(sql`
    UPDATE core.orders SET lines_state = ${state}, lines_attempts = ${state === 'ok' ? 0 : 1}
    WHERE shop_id = ${shopId} AND lines_state IN ('ok', 'doubtful') AND order_id IN ${valuesIn(orderIds)}`);
}

/** An order whose lines are in. */
export type LinesInQuestion = {
  readonly orderId: string;
  readonly isDoubtful: boolean;
  readonly facts: LineFacts;
};

const LATEST_READ = 300;
const READ_AT_ONCE = 2_000;

/** The latest orders of a shop beside their lines. */
export async function readLatestFacts(db: Db, shopId: number): Promise<readonly LinesInQuestion[]> {
  const latest = sql`created_local IS NOT NULL ORDER BY created_local DESC LIMIT ${LATEST_READ}`;
  return readFacts(db, shopId, latest);
}

/** All orders of a shop beside their lines, batch by batch. */
export async function* readAllFacts(db: Db, shopId: number): AsyncGenerator<readonly LinesInQuestion[]> {
  for (let after = '-1'; ;) {
    const next = sql`order_id > ${after} ORDER BY order_id LIMIT ${READ_AT_ONCE}`;
    const batch = await readFacts(db, shopId, next);
    const last = batch.at(-1);
    if (last === undefined) return;
    yield batch;
    after = last.orderId;
  }
}

async function readFacts(db: Db, shopId: number, which: SQL): Promise<readonly LinesInQuestion[]> {
  const { rows } = await db.execute<LineFacts & Omit<LinesInQuestion, 'facts'> & { is_whole: boolean }>(sql`
    SELECT o.*, l.line_count, l.is_whole, l.quantity
    FROM (
      SELECT order_id AS "orderId", lines_state = 'doubtful' AS "isDoubtful", lines_total, list_total, ${FIGURES} FROM core.orders
      WHERE shop_id = ${shopId} AND ${IS_LIVE} AND lines_state IN ('ok', 'doubtful')
        AND ${which}
    ) o
    CROSS JOIN LATERAL (
      -- Numbers have a gap where a line could not be read.
      SELECT count(*)::int AS line_count, coalesce(max(line_no), 0) = count(*) AS is_whole,
        CASE WHEN bool_and(quantity IS NOT NULL) THEN sum(quantity)::float8 END AS quantity
      FROM core.order_lines WHERE shop_id = ${shopId} AND order_id = o."orderId"
    ) l
    ORDER BY o."orderId"`);
  return rows.map(({ orderId, isDoubtful, is_whole, ...facts }) => {
    return { orderId, isDoubtful, facts: is_whole ? facts : { ...facts, line_count: 0 } };
  });
}
