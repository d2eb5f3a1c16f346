import { z } from 'zod';

import { type PageProfile, unknownProfile, withLimit } from '../shop-api/page-profile.ts';
import { readApiProfile, writeApiProfile } from '../warehouse/api-profile.ts';
import type { Db } from '../warehouse/database.ts';

/** What is remembered of a shop's API between runs. */
export type ApiMemory = {
  readonly paging: PageProfile;
  /** The first day that holds orders, once it was found. */
  readonly historyFrom: Temporal.PlainDate | undefined;
  /** Orders that no list returned though their content was served, and since when. */
  readonly doubted?: ReadonlyMap<string, Temporal.Instant>;
};

/** What is beyond this is not remembered: such an order is merely doubted for longer. */
const MAX_DOUBTED = 10_000;

const stored = z.object({
  paging: z.object({
    limit: z.int(),
    longestPage: z.int(),
    isCapProven: z.boolean(),
    totalMeaning: z.enum(['unknown', 'matches', 'all']),
    ignoresStart: z.boolean(),
  }),
  historyFrom: z.iso.date().nullable(),
  doubted: z.record(z.string(), z.iso.datetime()).optional(),
});

/** What was remembered, or a blank where nothing was, or where another version wrote it. */
export async function recall(db: Db, shopId: number, pageLimit: number): Promise<ApiMemory> {
  const parsed = stored.safeParse(await readApiProfile(db, shopId));
  if (!parsed.success) return { paging: unknownProfile(pageLimit), historyFrom: undefined };
  const { paging, historyFrom, doubted } = parsed.data;
  return {
    paging: withLimit(paging, pageLimit),
    historyFrom: historyFrom === null ? undefined : Temporal.PlainDate.from(historyFrom),
    doubted: new Map(Object.entries(doubted ?? {}).map(([id, since]) => [id, Temporal.Instant.from(since)])),
  };
}

export async function remember(
  db: Db,
  shopId: number,
  memory: ApiMemory,
  now: Temporal.Instant,
): Promise<void> {
  const historyFrom = memory.historyFrom?.toString() ?? null;
  const entries = [...(memory.doubted ?? [])].slice(0, MAX_DOUBTED);
  const doubted = Object.fromEntries(entries.map(([id, since]) => [id, since.toString()]));
  await writeApiProfile(db, shopId, { paging: { ...memory.paging }, historyFrom, doubted }, now);
}
