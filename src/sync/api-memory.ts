import { z } from 'zod';

import { type PageProfile, unknownProfile, withLimit } from '../shop-api/page-profile.ts';
import { readApiProfile, writeApiProfile } from '../warehouse/api-profile.ts';
import type { Db } from '../warehouse/database.ts';

/** What is remembered of a shop's API between runs. */
export type ApiMemory = {
  readonly paging: PageProfile;
  /** The first day that holds orders, once it was found. */
  readonly historyFrom: Temporal.PlainDate | undefined;
};

const stored = z.object({
  paging: z.object({
    limit: z.int(),
    longestPage: z.int(),
    isCapProven: z.boolean(),
    totalMeaning: z.enum(['unknown', 'matches', 'all']),
    ignoresStart: z.boolean(),
  }),
  historyFrom: z.iso.date().nullable(),
});

/** What was remembered, or a blank where nothing was, or where another version wrote it. */
export async function recall(db: Db, shopId: number, pageLimit: number): Promise<ApiMemory> {
  const parsed = stored.safeParse(await readApiProfile(db, shopId));
  if (!parsed.success) return { paging: unknownProfile(pageLimit), historyFrom: undefined };
  const { paging, historyFrom } = parsed.data;
  return {
    paging: withLimit(paging, pageLimit),
    historyFrom: historyFrom === null ? undefined : Temporal.PlainDate.from(historyFrom),
  };
}

export async function remember(
  db: Db,
  shopId: number,
  memory: ApiMemory,
  now: Temporal.Instant,
): Promise<void> {
  const historyFrom = memory.historyFrom?.toString() ?? null;
  await writeApiProfile(db, shopId, { paging: { ...memory.paging }, historyFrom }, now);
}
