import { createHash } from 'node:crypto';

import { type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { recordset, typesOf, valuesIn } from '../db/upsert.ts';
import { rejections as rejectionsTable } from '../schema/ops.ts';
import { fence, type Lease, leaseLost } from './lease.ts';
import { describeRejectedValue } from './rejected-value.ts';

/** What could not be normalized, and why. */
export type RejectionRecord = {
  readonly resource: 'order' | 'content' | 'user' | 'group';
  readonly sourceKey: string | null;
  /** null: the whole record could not be loaded. */
  readonly field: string | null;
  readonly reason: string;
  /** Only its shape is stored, unless it is a code, number or date. */
  readonly value: string | null;
};

/** Normalized records: their earlier rejections that were not repeated are resolved. */
export type NormalizedRecords = {
  readonly resource: RejectionRecord['resource'];
  /** `'all'`: every record of the shop was normalized; others are gone. */
  readonly sourceKeys: readonly string[] | 'all';
};

/** Lines that could not be fetched at all, of a rejection `r`. */
export const IS_LINE_FAILURE = sql`(r.resource = 'content' AND r.field IS NULL)`;

const NAMES = ['resource', 'source_key', 'field', 'reason', 'value', 'digest'] as const;
const COLUMNS = typesOf(rejectionsTable, NAMES);

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
  await resolveOtherFailures(tx, shopId, records.filter(isLineFailure));
  if (records.length === 0) return 0;
  const { rows } = await tx.execute<{ open_before: number }>(sql`
    SELECT count(*)::int AS open_before FROM ops.rejections r JOIN ${recordset(COLUMNS, records)} USING (digest)
    WHERE shop_id = ${shopId} AND resolved_at IS NULL AND NOT ${IS_LINE_FAILURE}`);
  await tx.execute(sql`
    INSERT INTO ops.rejections AS stored (shop_id, resource, source_key, field, reason, value, digest)
    SELECT ${shopId}, resource, source_key, field, reason, value, digest FROM ${recordset(COLUMNS, records)}
    ON CONFLICT (shop_id, digest) DO UPDATE
    SET last_seen_at = now(), seen_count = stored.seen_count + 1, resolved_at = NULL`);
  return records.filter((record) => !isLineFailure(record)).length - (rows[0]?.open_before ?? 0);
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
      AND digest NOT IN ${valuesIn(digests, 'text')}
      AND ${areNoFetchFailures(shopId, normalized)}`);
}

const isLineFailure = ({ resource, field }: Pick<RejectionRecord, 'resource' | 'field'>) =>
  resource === 'content' && field === null;

/** Of several reasons why the lines of an order could not be fetched the latest holds. */
async function resolveOtherFailures(
  tx: Tx,
  shopId: number,
  failures: readonly { readonly source_key: string | null; readonly digest: string }[],
): Promise<void> {
  if (failures.length === 0) return;
  const keys = failures.flatMap(({ source_key: key }) => key ?? []);
  await tx.execute(sql`
    UPDATE ops.rejections r SET resolved_at = now()
    WHERE r.shop_id = ${shopId} AND r.resolved_at IS NULL AND ${IS_LINE_FAILURE}
      AND r.source_key IN ${valuesIn(keys, 'text')}
      AND r.digest NOT IN ${valuesIn(
        failures.map(({ digest }) => digest),
        'text',
      )}`);
}

/** Rejections of given records. */
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
 * element is reported each time its day is read.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function resolveUnlisted(db: Db, lease: Lease): Promise<void> {
  const { rows } = await db.execute(sql`
    WITH fence AS (${fence(lease)}),
    resolved AS (
      UPDATE ops.rejections r SET resolved_at = now() FROM fence
      WHERE r.shop_id = fence.shop_id AND resource = 'order' AND source_key IS NULL AND resolved_at IS NULL
        AND last_seen_at < (
          SELECT min(coalesce(verified_at, '-infinity')) FROM ops.days WHERE shop_id = ${lease.shopId})
    )
    SELECT FROM fence`);
  if (rows.length === 0) throw leaseLost(lease);
}

/**
 * A failed fetch stays open until the shop answers: normalizing an older payload does not resolve it. The subqueries do not
 * refer to the rejection, since a Citus cannot look up a distributed row for each row of a table on its coordinator.
 */
function areNoFetchFailures(shopId: number, normalized: readonly NormalizedRecords[]): SQL {
  const failed = {
    content: sql`SELECT order_id FROM core.orders
      WHERE shop_id = ${shopId} AND lines_state = 'failed' AND deleted_at IS NULL`,
    user: sql`SELECT user_oid FROM core.users WHERE shop_id = ${shopId} AND fetch_state = 'failed'`,
    order: undefined,
    group: undefined,
  };
  const conditions = normalized.flatMap(({ resource }) => {
    const records = failed[resource];
    if (records === undefined) return [];
    return [
      sql`NOT (resource = ${resource} AND field IS NULL AND coalesce(${RECORD_ID} IN (${records}), false))`,
    ];
  });
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);
}

const RECORD_ID = sql`CASE WHEN source_key ~ '^[0-9]{1,18}$' THEN source_key::bigint END`;

function toRecord({ resource, sourceKey, field, reason, value: rejected }: RejectionRecord) {
  const value = describeRejectedValue(resource, field, rejected);
  const identity = JSON.stringify([resource, sourceKey, field, reason, value]);
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  return { resource, source_key: sourceKey, field, reason, value, digest };
}
