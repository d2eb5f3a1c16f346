import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow, type RowOf } from '../db/rows.ts';

/** Delivered alerts are kept for the history. */
const KEPT_DAYS = 90;
const PRUNED_AT_ONCE = 500;
const LOCK_KEY = 7_305_114_210;

/**
 * Runs work on the alerts in a transaction that no other process runs at the same time; a process that hangs meanwhile
 * is disconnected. The lock ends with the transaction, so that it works through a pooler too.
 *
 * @returns undefined where another process is at work
 */
export async function withAlertsLocked<Result>(
  db: Db,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result | undefined> {
  return db.transaction(async (tx) => {
    const lock = sql`
      SELECT pg_try_advisory_xact_lock(${LOCK_KEY}) AS taken,
        set_config('idle_in_transaction_session_timeout', '30s', true)`;
    return (await oneRow<{ taken: boolean }>(tx, lock)).taken ? work(tx) : undefined;
  });
}

export type RaisedAlert = { readonly shopId: number; readonly cause: string; readonly text: string };

/** Raises an alert for each shop and cause that has none open. @returns those that were raised */
export async function raiseAlerts(tx: Tx, alerts: readonly RaisedAlert[], now: Temporal.Instant) {
  const { rows } = await tx.execute<RaisedAlert>(sql`
    INSERT INTO ops.alerts AS a (shop_id, cause, text, raised_at)
    SELECT "shopId", cause, text, ${now.toString()}
    FROM json_to_recordset(${JSON.stringify(alerts)}::json) AS g ("shopId" integer, cause text, text text)
    ON CONFLICT (shop_id, cause) WHERE closed_at IS NULL DO NOTHING
    RETURNING shop_id AS "shopId", cause, text`);
  return rows;
}

export async function closeAlerts(tx: Tx, over: readonly Omit<RaisedAlert, 'text'>[], now: Temporal.Instant) {
  await tx.execute(sql`
    UPDATE ops.alerts a SET recovered_at = ${now.toString()}, closed_at = ${now.toString()}
    FROM json_to_recordset(${JSON.stringify(over)}::json) AS g ("shopId" integer, cause text)
    WHERE a.shop_id = g."shopId" AND a.cause = g.cause AND a.closed_at IS NULL`);
}

/** Removes alerts that were closed long ago, a few at a time. */
export async function pruneAlerts(tx: Tx, now: Temporal.Instant): Promise<void> {
  await tx.execute(sql`
    DELETE FROM ops.alerts WHERE (shop_id, alert_id) IN (
      SELECT shop_id, alert_id FROM ops.alerts
      WHERE closed_at < ${now.toString()}::timestamptz - make_interval(days => ${KEPT_DAYS})
      LIMIT ${PRUNED_AT_ONCE})`);
}

/** Closes the open alerts of a shop that nobody needs to hear of any more: no message about them is sent. */
export async function dropAlerts(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`
    UPDATE ops.alerts SET closed_at = now(), told_at = coalesce(told_at, now())
    WHERE shop_id = ${shopId} AND closed_at IS NULL`);
}

/** One message about an alert: that it was raised, or that it is over. */
export type AlertMessage = {
  readonly shopId: number;
  readonly shopKey: string;
  readonly alertId: string;
  readonly cause: string;
  readonly event: 'raised' | 'recovered';
  readonly text: string;
  readonly raisedAt: Temporal.Instant;
  readonly recoveredAt: Temporal.Instant | undefined;
};

/** The message to deliver next: the oldest. A recovery comes only after its alert was delivered. */
export async function readNextMessage(tx: Tx): Promise<AlertMessage | undefined> {
  const { rows } = await tx.execute<RowOf<AlertMessage>>(sql`
    SELECT a.shop_id AS "shopId", s.shop_key AS "shopKey", a.alert_id AS "alertId", a.cause,
      CASE WHEN a.told_at IS NULL THEN 'raised' ELSE 'recovered' END AS event, a.text,
      a.raised_at AS "raisedAt", a.recovered_at AS "recoveredAt"
    FROM ops.alerts a JOIN core.shops s ON s.shop_id = a.shop_id
    WHERE a.told_at IS NULL OR a.recovered_at IS NOT NULL AND a.recovery_told_at IS NULL
    ORDER BY CASE WHEN a.told_at IS NULL THEN a.raised_at ELSE a.recovered_at END, a.alert_id
    LIMIT 1`);
  const [row] = rows;
  return row && { ...row, recoveredAt: row.recoveredAt ?? undefined };
}

/** The message was delivered, or the webhook refused it for good. */
export async function recordDelivered(
  tx: Tx,
  { shopId, alertId, event }: AlertMessage,
  now: Temporal.Instant,
): Promise<void> {
  const column = event === 'raised' ? sql`told_at` : sql`recovery_told_at`;
  await tx.execute(sql`
    UPDATE ops.alerts SET ${column} = ${now.toString()}
    WHERE shop_id = ${shopId} AND alert_id = ${alertId}`);
}

/** Records that sweeps of a shop were begun and not finished; the next sweep that ends removes it. */
export async function recordCrashes(db: Db, shopId: number, detail: string): Promise<void> {
  await db.execute(sql`
    UPDATE ops.shop_state SET findings = jsonb_build_object('crashes', ${detail}::text) || findings WHERE shop_id = ${shopId}`);
}
