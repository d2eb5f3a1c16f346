/** Whose turn it is to be swept: when stands in `ops.shop_state`, and a shop is claimed by taking its lease. */
import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { isHeld, type Lease, takingLeases } from './lease.ts';

/**
 * Which shops to sweep. `due-first`: all, shops that are due before the rest of long sweeps; `due-only`: without the rest of
 * long sweeps; `oldest-first`: all, the one that has waited longest first.
 */
export type TurnOrder = 'due-first' | 'due-only' | 'oldest-first';

export type Turn = {
  readonly shopKey: string;
  readonly lease: Lease;
  /** Sweeps that were begun since one last ended, this one included. */
  readonly begun: number;
};

/** Numbers of shops: that wait for a sweep, that are being swept, and of which several sweeps in a row were begun and none ended. */
export type TurnCounts = { readonly queued: number; readonly active: number; readonly failed: number };

/** As many sweeps of a shop may be begun in a row without one that ends. */
export const MOST_BEGUN = 5;

/** A sweep that was planned in the future was planned by a clock that ran ahead: then its time does not count. */
const IS_DUE = sql`(t.next_sweep_at <= now() OR t.sweep_planned_at > now())`;
const IS_HELD = sql`EXISTS (
  SELECT FROM ops.leases l WHERE l.shop_id = t.shop_id AND ${isHeld(sql`l.expires_at`)})`;

/** The shops of these keys that may be swept, as `s` and `t`. */
const sweepable = (shopKeys: readonly string[]) => sql`
  core.shops s JOIN ops.shop_state t ON t.shop_id = s.shop_id
  WHERE s.shop_key = ANY (${sql.param(shopKeys)}::text[]) AND s.paused_at IS NULL AND s.deletion_started_at IS NULL`;

/** Claims the shop whose turn it is, by its lease, if one of these is due and nobody has it. @param holder who takes the lease */
export async function claimTurn(
  db: Db,
  shopKeys: readonly string[],
  order: TurnOrder,
  holder: string,
): Promise<Turn | undefined> {
  const rest = order === 'oldest-first' ? sql`` : sql`t.sweep_is_cut, `;
  const only = order === 'due-only' ? sql`AND NOT t.sweep_is_cut` : sql``;
  const { rows } = await db.execute<{ shop_id: number; shop_key: string; epoch: string; begun: number }>(sql`
    WITH turn AS (
      SELECT t.shop_id, s.shop_key FROM ${sweepable(shopKeys)} AND ${IS_DUE} AND NOT ${IS_HELD} ${only}
      ORDER BY ${rest}t.next_sweep_at, t.shop_id LIMIT 1
      FOR UPDATE OF t SKIP LOCKED
    ), lease AS (${takingLeases(sql`turn`, holder)}
    ), begun AS (
      UPDATE ops.shop_state t SET sweeps_begun = t.sweeps_begun + 1
      FROM lease WHERE t.shop_id = lease.shop_id RETURNING t.shop_id, t.sweeps_begun
    )
    SELECT turn.shop_id, turn.shop_key, lease.epoch, begun.sweeps_begun AS begun
    FROM turn JOIN lease USING (shop_id) JOIN begun USING (shop_id)`);
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    shopKey: row.shop_key,
    lease: { shopId: row.shop_id, epoch: BigInt(row.epoch) },
    begun: row.begun,
  };
}

/**
 * The `shop_id` of each of these shops that the warehouse has. A query of its own, because Citus sends an update that reads
 * core.shops to a node that does not have these tables.
 */
export async function findShopIds(db: Db, shopKeys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.execute<{ shop_id: number; shop_key: string }>(sql`
    SELECT shop_id, shop_key FROM core.shops WHERE shop_key = ANY (${sql.param(shopKeys)}::text[])`);
  return new Map(rows.map(({ shop_id, shop_key }) => [shop_key, shop_id]));
}

const areShops = async (db: Db, shopKeys: readonly string[]) =>
  sql`shop_id = ANY (${sql.param([...(await findShopIds(db, shopKeys)).values()])}::int[])`;

/**
 * Sets when a shop is swept next, after a sweep of it has ended. No error for a shop that is not registered.
 *
 * @param afterMs from now, whatever the clock of this process says
 * @param isCut the sweep left something: its rest ranks behind what is due
 */
export async function planSweep(db: Db, shopKey: string, afterMs: number, isCut: boolean): Promise<void> {
  await db.execute(sql`
    UPDATE ops.shop_state SET next_sweep_at = now() + make_interval(secs => ${afterMs / 1000}),
      sweep_planned_at = now(), sweep_is_cut = ${isCut}, sweeps_begun = 0
    WHERE ${await areShops(db, [shopKey])}`);
}

/** Makes shops due now. */
export async function hurrySweeps(db: Db, shopKeys: readonly string[]): Promise<void> {
  await db.execute(sql`
    UPDATE ops.shop_state SET next_sweep_at = now(), sweep_planned_at = now()
    WHERE ${await areShops(db, shopKeys)} AND next_sweep_at > now()`);
}

export async function countTurns(db: Db | Tx, shopKeys: readonly string[]): Promise<TurnCounts> {
  return oneRow<TurnCounts>(
    db,
    sql`
    SELECT count(*) FILTER (WHERE is_due AND NOT is_held)::int AS queued, count(*) FILTER (WHERE is_held)::int AS active,
      count(*) FILTER (WHERE sweeps_begun > ${MOST_BEGUN})::int AS failed
    FROM (SELECT ${IS_DUE} AS is_due, ${IS_HELD} AS is_held, t.sweeps_begun FROM ${sweepable(shopKeys)}) turns`,
  );
}
