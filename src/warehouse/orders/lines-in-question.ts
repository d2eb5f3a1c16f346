import { type SQL, sql } from 'drizzle-orm';

import type { LineFacts } from '../../line-facts.ts';
import type { Db } from '../db/database.ts';
import { FIGURES } from './due-lines.ts';

/** An order whose lines are in. */
export type LinesInQuestion = {
  readonly orderId: string;
  readonly isDoubtful: boolean;
  readonly facts: LineFacts;
};

const LATEST = 300;
const BATCH = 2_000;

/** The latest orders of a shop beside their lines. */
export async function readLatestFacts(db: Db, shopId: number): Promise<readonly LinesInQuestion[]> {
  return readFacts(db, shopId, sql`created_local IS NOT NULL ORDER BY created_local DESC LIMIT ${LATEST}`);
}

/** All orders of a shop beside their lines, batch by batch. */
export async function* readAllFacts(db: Db, shopId: number): AsyncGenerator<readonly LinesInQuestion[]> {
  for (let after = '-1'; ;) {
    const batch = await readFacts(db, shopId, sql`order_id > ${after} ORDER BY order_id LIMIT ${BATCH}`);
    const last = batch.at(-1);
    if (last === undefined) return;
    yield batch;
    after = last.orderId;
  }
}

async function readFacts(db: Db, shopId: number, which: SQL): Promise<readonly LinesInQuestion[]> {
  const { rows } = await db.execute<
    LineFacts & { order_id: string; is_doubtful: boolean; is_whole: boolean }
  >(sql`
    SELECT o.*, l.line_count, l.is_whole, l.quantity
    FROM (
      SELECT order_id, lines_state = 'doubtful' AS is_doubtful, lines_total, list_total, ${FIGURES} FROM core.orders
      WHERE shop_id = ${shopId} AND missing_since IS NULL AND deleted_at IS NULL AND lines_state IN ('ok', 'doubtful')
        AND ${which}
    ) o
    CROSS JOIN LATERAL (
      -- Numbers have a gap where a line could not be read.
      SELECT count(*)::int AS line_count, coalesce(max(line_no), 0) = count(*) AS is_whole,
        CASE WHEN bool_and(quantity IS NOT NULL) THEN sum(quantity)::float8 END AS quantity
      FROM core.order_lines WHERE shop_id = ${shopId} AND order_id = o.order_id
    ) l
    ORDER BY o.order_id`);
  return rows.map(({ order_id, is_doubtful, is_whole, ...facts }) => ({
    orderId: order_id,
    isDoubtful: is_doubtful,
    facts: is_whole ? facts : { ...facts, line_count: 0 },
  }));
}
