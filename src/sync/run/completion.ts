import { writeApiProfile } from '../../warehouse/ops/api-profile.ts';
import type { Tx } from '../../warehouse/db/database.ts';

/**
 * Notes that every due day was verified, whatever single records could not be read: what has gone wrong with one record is
 * told by the run, by rejections and by the states of lines and users.
 */
export async function noteComplete(tx: Tx, shopId: number, now: Temporal.Instant): Promise<void> {
  await writeApiProfile(tx, shopId, { completeAt: now.toString() }, now);
}
