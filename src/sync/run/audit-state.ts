import { z } from 'zod';

import type { JsonObject, JsonValue } from '../../json.ts';
import type { Audit } from '../../plan/audit-due.ts';

const stored = z.object({
  audit: z.object({
    finishedAt: z.iso.datetime(),
    orders: z.int(),
    total: z.int().nullable(),
    live: z.int().nullish(),
  }),
});

/** The audit among what is remembered of a shop. */
export function auditOf(profile: JsonValue | undefined): Audit | undefined {
  const { data } = stored.safeParse(profile);
  if (data === undefined) return undefined;
  const { finishedAt, orders, total, live } = data.audit;
  const at = Temporal.Instant.from(finishedAt);
  return { finishedAt: at, orders, total: total ?? undefined, live: live ?? undefined };
}

export function auditPart(audit: Audit | undefined): JsonObject {
  if (audit === undefined) return {};
  const { finishedAt, orders, total, live } = audit;
  return { audit: { finishedAt: finishedAt.toString(), orders, total: total ?? null, live: live ?? null } };
}
