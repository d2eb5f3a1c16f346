import { type SQL, sql } from 'drizzle-orm';

import { type AlertFacts, LATELY_ORDERS, MIN_SILENCE_MS } from '../../model/alert-facts.ts';
import type { Db, Tx } from '../db/database.ts';
import { oneRow, type RowOf } from '../db/rows.ts';

type StoredFacts = AlertFacts & { readonly shopId: number };

/** More failures in a row than these make no difference. */
const SWEEPS_LOOKED_AT = 20;

/**
 * How many of a shop's latest sweeps failed since one made progress, and the error of the last.
 *
 * @param completedAt when a sweep last verified every due day: one that found nothing to do leaves no run
 */
const failedSweeps = (shopId: SQL, completedAt: SQL, at: SQL) => sql`
  SELECT count(*) FILTER (WHERE is_failed)::int AS failures,
    (array_agg(error ORDER BY started_at DESC) FILTER (WHERE is_failed))[1] AS error
  FROM (
    SELECT error, started_at, finished_at, status = 'failed'
      AND started_at > coalesce(max(started_at) FILTER (WHERE status <> 'failed') OVER (), '-infinity')
      AND started_at > coalesce(CASE WHEN ${completedAt} <= ${at} THEN ${completedAt} END, '-infinity') AS is_failed
    FROM (
      SELECT r.error, r.started_at, r.finished_at, r.status
      FROM ops.runs r
      WHERE r.shop_id = ${shopId} AND r.kind IN ('sync', 'backfill')
        AND (r.status IN ('ok', 'failed') OR r.status = 'partial' AND r.days_verified > 0)
      ORDER BY r.started_at DESC NULLS LAST LIMIT ${SWEEPS_LOOKED_AT}
    ) latest
  ) judged`;

/** What is usual is what so many weeks before brought. */
const USUAL_WEEKS = 8;

/**
 * Orders that are usual for a shop `s` between two local times: the average of the same span in each of the weeks before. A span of more
 * than a week is extrapolated from its first week, so that few orders are read however long it is. Orders that were deleted later
 * count as well, since they did come; so an index alone answers the query.
 */
const usualOrders = (from: SQL, to: SQL) => sql`(
  SELECT count(*) * greatest(1, extract(epoch FROM ${to} - ${from}) / extract(epoch FROM interval '7 days')) / ${USUAL_WEEKS}::int
  FROM generate_series(1, ${USUAL_WEEKS}::int) week JOIN core.orders o ON o.shop_id = s.shop_id
    AND o.created_local > ${from} - week * interval '7 days'
    AND o.created_local <= least(${to}, ${from} + interval '7 days') - week * interval '7 days')`;

/** A shop that opened less long ago has no usual week yet. */
const OPEN_FOR_DAYS = 28;

/** How long a shop `s` has taken no order when a local time was known: {@link Silence}. What is usual is read of long silences alone. */
const silence = (at: SQL, known: SQL) => sql`
  SELECT json_build_object('ms', extract(epoch FROM ${known} - latest.at) * 1000,
    'expected', CASE WHEN is_long THEN ${usualOrders(sql`latest.at`, known)} ELSE 0 END,
    'expectedLately', CASE WHEN is_long THEN ${usualOrders(sql`latest.lately_from`, sql`latest.at`)} ELSE 0 END) AS found
  FROM (
    SELECT max(created_local) AS at, CASE WHEN count(*) = ${LATELY_ORDERS} THEN min(created_local) END AS lately_from
    FROM (
      SELECT o.created_local FROM core.orders o
      WHERE o.shop_id = s.shop_id AND o.created_local <= ${at} AT TIME ZONE s.timezone
      ORDER BY o.created_local DESC LIMIT ${LATELY_ORDERS}
    ) o
  ) latest
  CROSS JOIN LATERAL (
    SELECT extract(epoch FROM ${known} - latest.at) * 1000 >= ${MIN_SILENCE_MS}::int AND EXISTS (
      SELECT FROM core.orders o
      WHERE o.shop_id = s.shop_id AND o.created_local < latest.at - make_interval(days => ${OPEN_FOR_DAYS})) AS is_long
  ) judged
  WHERE latest.at IS NOT NULL`;

/** Failed sweeps in a row. @param shopKey one that is not registered yet has none */
export async function readFailures(db: Db, shopKey: string, now: Temporal.Instant): Promise<number> {
  const shop = sql`(SELECT shop_id FROM core.shops WHERE shop_key = ${shopKey})`;
  const completedAt = sql`(SELECT completed_at FROM ops.shop_state WHERE shop_id = ${shop})`;
  const at = sql`${now.toString()}::timestamptz`;
  return (await oneRow<{ failures: number }>(db, failedSweeps(shop, completedAt, at))).failures;
}

/**
 * Reads the facts of all shops in one statement. Times in the future, written while a clock was ahead, do not count.
 *
 * @param only the key of the one shop to read
 */
export async function readAlertFacts(
  db: Db | Tx,
  now: Temporal.Instant,
  only?: string,
): Promise<readonly StoredFacts[]> {
  const at = sql`${now.toString()}::timestamptz`;
  const { rows } = await db.execute<RowOf<StoredFacts>>(sql`
    SELECT s.shop_id AS "shopId", s.shop_key AS "shopKey", fresh.at AS "freshAt",
      (t.freshness -> 0 ->> 'target_seconds')::float8 * 1000 AS "targetMs",
      least(t.looked_at, ${at}) AS "lookedAt",
      (SELECT last_error FROM ops.days WHERE shop_id = s.shop_id ORDER BY day DESC LIMIT 1) AS "openReason",
      sweeps.failures, sweeps.error AS "lastError", t.completed_at IS NOT NULL AS "isLoaded",
      coalesce(open.latest, 0) AS "newRejections",
      (SELECT count(*)::int FROM ops.rejections r WHERE r.shop_id = s.shop_id
        AND r.first_seen_at > ${at} - interval '8 days' AND r.first_seen_at <= ${at} - interval '1 day') AS "earlierRejections",
      (SELECT coalesce(json_agg(p.field ORDER BY p.field), '[]') FROM ops.payload_fields p
        WHERE p.shop_id = s.shop_id AND p.is_new AND p.first_seen_at > ${at} - interval '1 day') AS "newFields",
      coalesce(t.findings, '{}') AS findings,
      silence.found AS silence
    FROM core.shops s
    LEFT JOIN ops.shop_state t ON t.shop_id = s.shop_id
    -- Of a day that is over nothing later can be known, however late it was verified. One attempt that failed since does not
    -- make what was verified before any older.
    LEFT JOIN LATERAL (
      SELECT least(d.last_verified_at, (d.day + 1)::timestamp AT TIME ZONE s.timezone) AS at
      FROM ops.days d WHERE d.shop_id = s.shop_id AND d.last_verified_at <= ${at}
      ORDER BY d.day DESC LIMIT 1
    ) known ON true
    -- Where only a clock that ran ahead verified anything, nobody knows when that was.
    LEFT JOIN LATERAL (
      SELECT coalesce(known.at, (
        SELECT least(s.created_at, ${at} - interval '1 day')
        FROM ops.days d WHERE d.shop_id = s.shop_id AND d.last_verified_at IS NOT NULL LIMIT 1)) AS at
    ) fresh ON true
    LEFT JOIN LATERAL (${silence(at, sql`(fresh.at AT TIME ZONE s.timezone)`)}) silence ON fresh.at IS NOT NULL
    CROSS JOIN LATERAL (${failedSweeps(sql`s.shop_id`, sql`t.completed_at`, at)}) sweeps
    LEFT JOIN (
      SELECT shop_id, count(*)::int AS latest FROM core.open_rejections
      WHERE first_seen_at > ${at} - interval '1 day' GROUP BY shop_id
    ) open ON open.shop_id = s.shop_id
    WHERE s.deletion_started_at IS NULL AND s.paused_at IS NULL
      -- Until the next sweep, a shop that was resumed is as old as its pause.
      AND (s.resumed_at IS NULL OR s.resumed_at < ${at} - interval '2 minutes')${only === undefined ? sql`` : sql` AND s.shop_key = ${only}`}
    ORDER BY s.shop_key`);
  return rows.map((row) => ({
    ...row,
    freshAt: row.freshAt ?? undefined,
    targetMs: row.targetMs ?? undefined,
    silence: row.silence ?? undefined,
    lookedAt: row.lookedAt ?? undefined,
    openReason: row.openReason ?? undefined,
    lastError: row.lastError ?? undefined,
  }));
}
