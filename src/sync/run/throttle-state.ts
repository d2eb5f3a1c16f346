import { z } from 'zod';

import type { JsonObject, JsonValue } from '../../json.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { readApiProfile, writeApiProfile } from '../../warehouse/ops/api-profile.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';

/** How a shop was treated when that was noted last. */
export type Politeness = Pick<
  ShopApi['health'],
  'concurrency' | 'lowestConcurrency' | 'maxConcurrency' | 'maxRps' | 'circuit'
> & {
  /** The shop asked not to be asked before. */
  readonly comeBackAt: Temporal.Instant | undefined;
};

const stored = z.object({
  politeness: z.object({
    concurrency: z.int(),
    lowestConcurrency: z.int(),
    maxConcurrency: z.int(),
    maxRps: z.number(),
    circuit: z.enum(['closed', 'open', 'half-open']),
    comeBackAt: z.iso.datetime().nullable(),
  }),
});

/** @param profile as it is stored; @returns undefined where nothing was noted, or by another version */
export function politenessOf(profile: JsonValue | undefined): Politeness | undefined {
  const parsed = stored.safeParse(profile);
  if (!parsed.success) return undefined;
  const { comeBackAt, ...rest } = parsed.data.politeness;
  return { ...rest, comeBackAt: comeBackAt === null ? undefined : Temporal.Instant.from(comeBackAt) };
}

/** The client's present state, as it is noted. */
export function politenessNow(
  health: ShopApi['health'],
  comeBackAt: Temporal.Instant | undefined,
): Politeness {
  const { concurrency, lowestConcurrency, maxConcurrency, maxRps, circuit } = health;
  return { concurrency, lowestConcurrency, maxConcurrency, maxRps, circuit, comeBackAt };
}

export function politenessPart(politeness: Politeness | undefined): JsonObject {
  if (politeness === undefined) return {};
  return { politeness: { ...politeness, comeBackAt: politeness.comeBackAt?.toString() ?? null } };
}

export async function readPoliteness(db: Db, shopId: number): Promise<Politeness | undefined> {
  return politenessOf(await readApiProfile(db, shopId));
}

/** Notes how the shop is treated, also while a run is under way, for those who look at it from outside. */
export async function notePoliteness(
  tx: Tx,
  shopId: number,
  politeness: Politeness,
  now: Temporal.Instant,
): Promise<void> {
  await writeApiProfile(tx, shopId, politenessPart(politeness), now);
}

/** An instant for people, to the second: `2026-01-31 12:00:00 UTC`. */
export function utcText(instant: Temporal.Instant): string {
  const text = instant.toString({ smallestUnit: 'second', roundingMode: 'ceil' });
  return text.replace('T', ' ').replace('Z', ' UTC');
}
