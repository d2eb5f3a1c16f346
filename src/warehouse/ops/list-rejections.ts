import { type SQL, sql } from 'drizzle-orm';

import { type LineFailure, NAMED_ORDERS } from '../../line-failures.ts';
import type { Db, Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';
import { IS_LINE_FAILURE, type RejectionRecord } from './record-rejections.ts';

/** Rejections of one field for one reason. Instants as the database writes them. */
export type RejectionGroup = Pick<RejectionRecord, 'resource' | 'field' | 'reason'> & {
  readonly shop: string;
  /** Records that need attention. */
  readonly open: number;
  /** Records that were normalized since, or are gone. */
  readonly resolved: number;
  /** How often they were seen, resolved ones included where listed. */
  readonly seen: number;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  /** The latest one, preferably an open one. The key may be a login or an e-mail address. */
  readonly sample: { readonly sourceKey: string | null; readonly value: string | null };
};

/** Rejections `r`, joined to their order `o`, if any. */
const REJECTIONS = sql`ops.rejections r LEFT JOIN core.orders o ON o.shop_id = r.shop_id
  AND r.resource IN ('order', 'content')
  AND o.order_id = CASE WHEN r.source_key ~ '^[0-9]{1,18}$' THEN r.source_key::bigint END`;

/** A deleted order stays as it was last normalized, and needs no attention. */
const IS_OPEN = sql`(r.resolved_at IS NULL AND o.deleted_at IS NULL)`;

/**
 * Rejections by shop, resource, field and reason, the most frequent of a shop first.
 *
 * @param withResolved also lists those that need no attention any more
 */
export async function listRejections(
  db: Db | Tx,
  shopIds: readonly number[],
  withResolved: boolean,
): Promise<readonly RejectionGroup[]> {
  const { rows } = await db.execute<
    Omit<RejectionGroup, 'sample'> & { source_key: string | null; value: string | null }
  >(sql`
    WITH listed AS (
      SELECT s.shop_key AS shop, r.*, ${IS_OPEN} AS is_open
      FROM ${REJECTIONS} JOIN core.shops s ON s.shop_id = r.shop_id
      WHERE r.shop_id IN ${valuesIn(shopIds.map(String))} AND (${withResolved} OR r.resolved_at IS NULL)
    )
    SELECT shop, resource, field, reason,
      count(*) FILTER (WHERE is_open)::int AS open, count(*) FILTER (WHERE NOT is_open)::int AS resolved,
      sum(seen_count)::float8 AS seen, min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at,
      (array_agg(source_key ORDER BY is_open DESC, last_seen_at DESC, rejection_id DESC))[1] AS source_key,
      (array_agg(value ORDER BY is_open DESC, last_seen_at DESC, rejection_id DESC))[1] AS value
    FROM listed WHERE is_open OR ${withResolved}
    GROUP BY shop, resource, field, reason
    ORDER BY shop, open DESC, resolved DESC, resource, field NULLS FIRST, reason`);
  return rows.map(({ source_key: sourceKey, value, ...group }) => ({
    ...group,
    sample: { sourceKey, value },
  }));
}

/** Lines that could not be fetched, by shop and reason; the reason of the most orders first. */
export async function readLineFailures(db: Db | Tx, shopIds: readonly number[]) {
  const { rows } = await db.execute<LineFailure & { shop_id: number }>(sql`
    SELECT r.shop_id, r.reason, count(*)::int AS orders,
      (array_agg(r.source_key ORDER BY length(r.source_key), r.source_key))[1:${NAMED_ORDERS}::int] AS order_ids
    FROM ${REJECTIONS} WHERE r.shop_id IN ${valuesIn(shopIds.map(String))} AND ${IS_OPEN} AND ${IS_LINE_FAILURE}
    GROUP BY r.shop_id, r.reason ORDER BY orders DESC, r.reason`);
  return rows;
}

/** How many rejections of a shop need attention, as a subquery. */
export function openRejections(shopId: number): SQL {
  return sql`(SELECT count(*)::int FROM ${REJECTIONS} WHERE r.shop_id = ${shopId} AND ${IS_OPEN})`;
}

export async function countOpenRejections(db: Db, shopId: number): Promise<number> {
  const { rows } = await db.execute<{ open: number }>(sql`SELECT ${openRejections(shopId)} AS open`);
  return rows[0]?.open ?? 0;
}

/** How many rejections of a shop were resolved since its latest run began. */
export async function countResolvedInRun(db: Db, shopId: number): Promise<number> {
  const { rows } = await db.execute<{ resolved: number }>(sql`
    SELECT count(*)::int AS resolved FROM ops.rejections
    WHERE shop_id = ${shopId} AND resolved_at >= (SELECT max(started_at) FROM ops.runs WHERE shop_id = ${shopId})`);
  return rows[0]?.resolved ?? 0;
}
