import { createHash } from 'node:crypto';

import { type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { recordset, valuesIn } from '../db/upsert.ts';
import { type Lease, leasedShop } from './lease.ts';
import { describeRejectedValue } from './rejected-value.ts';

/** What could not be normalized, and why. */
export type RejectionRecord = {
  readonly resource: 'order' | 'content' | 'user' | 'group';
  /** Identifier of the record in the shop: for lines, of their order. */
  readonly sourceKey: string | null;
  /** Name of the field on the wire; null: the whole record. */
  readonly field: string | null;
  /** A constant sentence per cause, without values. */
  readonly reason: string;
  /**
   * The offending value as text: at most 500 characters, well-formed, without NUL. Only its shape is stored, unless it is a
   * code, number or date.
   */
  readonly value: string | null;
};

/** Normalized records: their earlier rejections that were not repeated are resolved. */
export type NormalizedRecords = {
  readonly resource: RejectionRecord['resource'];
  /** `'all'`: every record of the shop was normalized; others are gone. */
  readonly sourceKeys: readonly string[] | 'all';
};

const NAMES = ['resource', 'source_key', 'field', 'reason', 'value', 'digest'];
const COLUMNS = Object.fromEntries(NAMES.map((name) => [name, 'text']));

/**
 * Records rejections, each once however often it is seen, and resolves those that were not repeated.
 *
 * @returns how many values and records are new or reopened that could not be understood
 */
export async function recordRejections(
  tx: Tx,
  shopId: number,
  normalized: readonly NormalizedRecords[],
  rejections: readonly RejectionRecord[],
): Promise<number> {
  const byDigest = new Map(rejections.map(toRecord).map((record) => [record.digest, record]));
  const records = [...byDigest.values()];
  await resolveOthers(tx, shopId, normalized, records);
  if (records.length === 0) return 0;
  const before = await oneRow<{ open: number }>(
    tx,
    sql`
    SELECT count(*)::int AS open FROM ops.rejections r JOIN ${recordset(COLUMNS, records)} USING (digest)
    WHERE shop_id = ${shopId} AND resolved_at IS NULL`,
  );
  await tx.execute(sql`
    INSERT INTO ops.rejections AS stored (shop_id, resource, source_key, field, reason, value, digest)
    SELECT ${shopId}, resource, source_key, field, reason, value, digest FROM ${recordset(COLUMNS, records)}
    ON CONFLICT (shop_id, digest) DO UPDATE
    SET last_seen_at = now(), seen_count = stored.seen_count + 1, resolved_at = NULL`);
  return records.length - before.open;
}

/** In one statement, since every load runs it. */
async function resolveOthers(
  tx: Tx,
  shopId: number,
  normalized: readonly NormalizedRecords[],
  repeated: readonly { readonly digest: string }[],
): Promise<void> {
  if (normalized.length === 0) return;
  const digests = repeated.map(({ digest }) => digest);
  await tx.execute(sql`
    UPDATE ops.rejections SET resolved_at = now()
    WHERE shop_id = ${shopId} AND resolved_at IS NULL AND ${areOf(normalized)}
      AND digest NOT IN ${valuesIn(digests, 'text')}`);
}

/** Rejections of these records. */
function areOf(normalized: readonly NormalizedRecords[]): SQL {
  const listed = normalized.flatMap(({ resource, sourceKeys }) =>
    sourceKeys === 'all' ? [] : [{ resource, sourceKeys }],
  );
  const ofRecords = normalized.map(({ resource, sourceKeys }) =>
    sourceKeys === 'all'
      ? sql`resource = ${resource}`
      : sql`(resource = ${resource} AND source_key = ANY (ARRAY${valuesIn(sourceKeys, 'text')}))`,
  );
  const isOfAny = sql`(${sql.join(ofRecords, sql` OR `)})`;
  if (listed.length < normalized.length) return isOfAny;
  // An index is not searched by the sides of an OR, nor by a subquery; it is by arrays of all resources and all keys.
  const resources = listed.map(({ resource }) => resource);
  const keys = [...new Set(listed.flatMap(({ sourceKeys }) => sourceKeys))];
  return sql`resource = ANY (ARRAY${valuesIn(resources, 'text')})
    AND source_key = ANY (ARRAY${valuesIn(keys, 'text')}) AND ${isOfAny}`;
}

/**
 * Resolves list elements without an identifier, which cannot be recognized, once every day was read again since: such an
 * element is reported each time its day is read. Nothing is written where another process took the lease.
 */
export async function resolveUnlisted(db: Db, lease: Lease): Promise<void> {
  await db.execute(sql`
    UPDATE ops.rejections SET resolved_at = now()
    WHERE shop_id = ${leasedShop(lease)} AND resource = 'order' AND source_key IS NULL AND resolved_at IS NULL
      AND last_seen_at < (SELECT min(coalesce(verified_at, '-infinity')) FROM ops.days WHERE shop_id = ${lease.shopId})`);
}

function toRecord({ resource, sourceKey, field, reason, value: rejected }: RejectionRecord) {
  const value = describeRejectedValue(resource, field, rejected);
  const identity = JSON.stringify([resource, sourceKey, field, reason, value]);
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  return { resource, source_key: sourceKey, field, reason, value, digest };
}

/** Rejections of one field for one reason. Instants as the database writes them. */
export type RejectionGroup = Pick<RejectionRecord, 'resource' | 'field' | 'reason'> & {
  readonly shop: string;
  /** Records that need attention. */
  readonly open: number;
  /** Records that were normalized since, or are gone. */
  readonly resolved: number;
  /** How often they were seen, resolved ones included where listed. */
  readonly seen: number;
  readonly first_seen_at: Temporal.Instant;
  readonly last_seen_at: Temporal.Instant;
  /** The latest one, preferably an open one. The key may be a login or an e-mail address. */
  readonly sample: { readonly sourceKey: string | null; readonly value: string | null };
};

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
  const { rows } = await db.execute<RejectionGroup>(sql`
    WITH listed AS (
      SELECT s.shop_key AS shop, r.*, r.rejection_id IN (
        SELECT rejection_id FROM core.open_rejections WHERE shop_id IN ${valuesIn(shopIds.map(String))}
      ) AS is_open
      FROM ops.rejections r JOIN core.shops s ON s.shop_id = r.shop_id
      WHERE r.shop_id IN ${valuesIn(shopIds.map(String))} AND (${withResolved} OR r.resolved_at IS NULL)
    )
    SELECT shop, resource, field, reason,
      count(*) FILTER (WHERE is_open)::int AS open, count(*) FILTER (WHERE NOT is_open)::int AS resolved,
      sum(seen_count)::float8 AS seen, min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at,
      (array_agg(json_build_object('sourceKey', source_key, 'value', value)
        ORDER BY is_open DESC, last_seen_at DESC, rejection_id DESC))[1] AS sample
    FROM listed WHERE is_open OR ${withResolved}
    GROUP BY shop, resource, field, reason
    ORDER BY shop, open DESC, resolved DESC, resource, field NULLS FIRST, reason`);
  return rows;
}

/** How many rejections of a shop need attention, and how many were resolved since its latest run began. */
export async function countRejections(db: Db, shopId: number) {
  return oneRow<{ readonly open: number; readonly resolved: number }>(
    db,
    sql`
    SELECT (SELECT count(*)::int FROM core.open_rejections WHERE shop_id = ${shopId}) AS open,
      (SELECT count(*)::int FROM ops.rejections WHERE shop_id = ${shopId}
        AND resolved_at >= (SELECT max(started_at) FROM ops.runs WHERE shop_id = ${shopId})) AS resolved`,
  );
}
