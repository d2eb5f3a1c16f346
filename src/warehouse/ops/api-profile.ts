import { eq, sql } from 'drizzle-orm';

import type { JsonObject, JsonValue } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { jsonText } from '../db/pg-json.ts';
import { apiProfiles } from '../schema/ops.ts';

/** What was learned of how a shop's API behaves, as it was last stored. */
export async function readApiProfile(db: Db | Tx, shopId: number): Promise<JsonValue | undefined> {
  const [row] = await db.select().from(apiProfiles).where(eq(apiProfiles.shop_id, shopId));
  return row?.profile;
}

/**
 * Stores what was learned, part by part: each part replaces the one of its name, and the others stay as they are, so
 * that parts may be kept by modules that know nothing of each other. What is equal already is not written.
 */
export async function writeApiProfile(
  db: Db | Tx,
  shopId: number,
  parts: JsonObject,
  learnedAt: Temporal.Instant,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO ops.api_profiles AS stored (shop_id, profile, learned_at)
    VALUES (${shopId}, ${jsonText(parts)}::jsonb, ${learnedAt.toString()})
    ON CONFLICT (shop_id) DO UPDATE
      SET profile = stored.profile || excluded.profile, learned_at = excluded.learned_at
      WHERE stored.profile || excluded.profile <> stored.profile`);
}

/** Stores parts of which none of that name is there yet; those that are there stay, whoever stored them meanwhile. */
export async function addApiProfile(
  db: Db | Tx,
  shopId: number,
  parts: JsonObject,
  learnedAt: Temporal.Instant,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO ops.api_profiles AS stored (shop_id, profile, learned_at)
    VALUES (${shopId}, ${jsonText(parts)}::jsonb, ${learnedAt.toString()})
    ON CONFLICT (shop_id) DO UPDATE
      SET profile = excluded.profile || stored.profile, learned_at = excluded.learned_at
      WHERE excluded.profile || stored.profile <> stored.profile`);
}
