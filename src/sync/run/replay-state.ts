/** What is remembered of replays: the version that made a shop's rows, and how far an unfinished replay has come. */
import { z } from 'zod';

import type { JsonObject, JsonValue } from '../../json.ts';
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { addApiProfile, readApiProfile, writeApiProfile } from '../../warehouse/ops/api-profile.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { countRaw } from '../../warehouse/ops/raw-records.ts';

export const STAGES = ['orders', 'users', 'groups'] as const;
export type Stage = (typeof STAGES)[number];

/** How far a replay has come: all of the stages before this one, and of this one the records up to a key. */
export type ReplayPosition = {
  /** Version of the normalizers that it goes on with. */
  readonly version: number;
  /** It makes the guests' customer keys anew. */
  readonly rekey: boolean;
  readonly stage: Stage;
  readonly after: string | undefined;
  /** Records done so far, of all stages. */
  readonly done: number;
};

export type ReplayState = {
  /** The earliest version that any row of the shop may have been made by. */
  readonly version: number;
  /** Where an unfinished replay stands. */
  readonly position: ReplayPosition | undefined;
};

/** Rows of shops for which no version is stored were made by the first. */
const FIRST_VERSION = 1;

const stored = z.object({
  replay: z.object({
    version: z.int(),
    position: z
      .object({
        version: z.int(),
        rekey: z.boolean(),
        stage: z.enum(STAGES),
        after: z.string().nullable(),
        done: z.int(),
      })
      .nullable(),
  }),
});

export async function readReplayState(db: Db | Tx, shopId: number): Promise<ReplayState> {
  const parsed = stored.safeParse(await readApiProfile(db, shopId));
  if (!parsed.success) return { version: FIRST_VERSION, position: undefined };
  const { version, position } = parsed.data.replay;
  return { version, position: position ? { ...position, after: position.after ?? undefined } : undefined };
}

/** Belongs into the transaction of the batch that it speaks of. */
export async function saveReplayState(
  tx: Tx,
  shopId: number,
  state: ReplayState,
  now: Temporal.Instant,
): Promise<void> {
  await writeApiProfile(tx, shopId, partOf(state), now);
}

/**
 * Stores the version of a shop for which none is: this one where nothing is kept of the shop yet, so that all its rows
 * will be made by it. To be called before the first load.
 *
 * @param profile of the shop as it was read
 */
export async function noteFirstVersion(
  db: Db,
  shopId: number,
  profile: JsonValue | undefined,
  now: Temporal.Instant,
): Promise<void> {
  if (stored.safeParse(profile).success) return;
  const { orders, users, user_groups: groups } = await countRaw(db, shopId);
  const version = orders + users + groups === 0 ? NORMALIZER_VERSION : FIRST_VERSION;
  // Not under the lease, since it adds only: of a process that comes late nothing is taken.
  await addApiProfile(db, shopId, partOf({ version, position: undefined }), now);
}

function partOf({ version, position }: ReplayState): JsonObject {
  const kept = position ? { ...position, after: position.after ?? null } : null;
  return { replay: { version, position: kept } };
}

const paged = z.object({ paging: z.object({ limit: z.int() }) });

/** `limit` of the list requests that this shop was last asked with. */
export async function rememberedPageLimit(db: Db, shopId: number): Promise<number | undefined> {
  return paged.safeParse(await readApiProfile(db, shopId)).data?.paging.limit;
}
