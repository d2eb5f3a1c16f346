import { z } from 'zod';

import type { JsonObject, JsonValue } from '../json.ts';

/** How the list without dates was read last. */
export type Audit = {
  readonly finishedAt: Temporal.Instant;
  /** Orders that it held. */
  readonly orders: number;
  /** As the shop said it then. */
  readonly total: number | undefined;
};

const stored = z.object({
  audit: z.object({ finishedAt: z.iso.datetime(), orders: z.int(), total: z.int().nullable() }),
});

/** The audit among what is remembered of a shop. */
export function auditOf(profile: JsonValue | undefined): Audit | undefined {
  const { data } = stored.safeParse(profile);
  if (data === undefined) return undefined;
  const { finishedAt, orders, total } = data.audit;
  return { finishedAt: Temporal.Instant.from(finishedAt), orders, total: total ?? undefined };
}

export function auditPart(audit: Audit | undefined): JsonObject {
  if (audit === undefined) return {};
  const { finishedAt, orders, total } = audit;
  return { audit: { finishedAt: finishedAt.toString(), orders, total: total ?? null } };
}
