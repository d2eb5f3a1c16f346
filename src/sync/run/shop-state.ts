import { z } from 'zod';

import type { Audit } from '../../plan/audit-due.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { type PageProfile, unknownProfile, withLimit } from '../../shop-api/paging/page-profile.ts';
import { readApiProfile, writeApiProfile } from '../../warehouse/ops/api-profile.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { freshnessPart } from './freshness-state.ts';
import { auditOf, auditPart } from './audit-state.ts';
import { type Politeness, politenessOf, politenessPart } from './throttle-state.ts';

/** What is remembered of a shop's API between runs. */
export type ApiMemory = {
  readonly paging: PageProfile;
  /** Orders that no list returned though they were not said to be gone, and since when by the database's clock. */
  readonly doubted?: ReadonlyMap<string, Temporal.Instant>;
  /** How the shop was treated last, and until when it asked to be left alone. */
  readonly politeness?: Politeness | undefined;
  /** How its list was last read without dates. */
  readonly audit?: Audit | undefined;
  /** The policy that it was swept with; it is kept for the views, and not recalled. */
  readonly freshness?: FreshnessPolicy | undefined;
};

/** What is beyond this is not remembered: such an order is merely doubted for longer. */
const MAX_DOUBTED = 10_000;

const stored = z.object({
  paging: z.object({
    limit: z.int(),
    pageRows: z.int(),
    isUneven: z.boolean(),
    totalMeaning: z.enum(['unknown', 'matches', 'other']),
    wantsBothDates: z.boolean(),
  }),
  doubted: z.record(z.string(), z.iso.datetime()).optional(),
});

/** What was remembered, or a blank where nothing was, or where another version wrote it. */
export async function recall(db: Db, shopId: number, pageLimit: number): Promise<ApiMemory> {
  return memoryOf(await readApiProfile(db, shopId), pageLimit);
}

/** The same of a profile that was read. */
export function memoryOf(profile: JsonValue | undefined, pageLimit: number): ApiMemory {
  const politeness = politenessOf(profile);
  const parsed = stored.safeParse(profile);
  if (!parsed.success) return { paging: unknownProfile(pageLimit), politeness, audit: auditOf(profile) };
  const { paging, doubted } = parsed.data;
  return {
    paging: withLimit(paging, pageLimit),
    doubted: new Map(Object.entries(doubted ?? {}).map(([id, since]) => [id, Temporal.Instant.from(since)])),
    politeness,
    audit: auditOf(profile),
  };
}

/** Keeps what is given; a part that is not given stays as it was. */
export async function remember(
  db: Db | Tx,
  shopId: number,
  memory: ApiMemory,
  now: Temporal.Instant,
): Promise<void> {
  const parts = {
    paging: { ...memory.paging },
    ...doubtedPart(memory),
    ...politenessPart(memory.politeness),
    ...freshnessPart(memory.freshness),
    ...auditPart(memory.audit),
  };
  await writeApiProfile(db, shopId, parts, now);
}

function doubtedPart({ doubted }: ApiMemory): JsonObject {
  if (doubted === undefined) return {};
  const entries = [...doubted].slice(0, MAX_DOUBTED);
  return { doubted: Object.fromEntries(entries.map(([id, since]) => [id, since.toString()])) };
}
