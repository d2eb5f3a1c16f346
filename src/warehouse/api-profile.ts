import { eq } from 'drizzle-orm';

import type { JsonObject, JsonValue } from '../json.ts';
import type { Db } from './database.ts';
import { apiProfiles } from './schema/ops.ts';
import { upsert } from './upsert.ts';

/** What was learned of how a shop's API behaves, as it was last stored. */
export async function readApiProfile(db: Db, shopId: number): Promise<JsonValue | undefined> {
  const [row] = await db.select().from(apiProfiles).where(eq(apiProfiles.shop_id, shopId));
  return row?.profile;
}

export async function writeApiProfile(
  db: Db,
  shopId: number,
  profile: JsonObject,
  learnedAt: Temporal.Instant,
) {
  const row = { shop_id: shopId, profile, learned_at: learnedAt.toString() };
  await db.transaction((tx) => upsert(tx, apiProfiles, [row], { silent: ['learned_at'] }));
}
