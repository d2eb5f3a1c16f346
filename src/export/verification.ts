import type { Client } from 'pg';

import { type DaySpan, readUnverified, type UnverifiedShop } from '../warehouse/query/unverified-days.ts';
import type { Manifest, ManifestPartition } from './manifest.ts';

type Verification = Manifest['verification'][number];
/** The oldest verification among a month's days. */
type Verified = { readonly shop: string; readonly month: string; readonly as_of: string | null };

export type Verdicts = {
  readonly unverified: readonly UnverifiedShop[];
  readonly months: readonly Verified[];
};

export async function readVerdicts(client: Client): Promise<Verdicts> {
  const { rows } = await client.query<Verified>(`
    SELECT shop, to_char(day, 'YYYY-MM') AS month,
      CASE WHEN bool_and(verified_at IS NOT NULL) THEN to_json(min(verified_at)) #>> '{}' END AS as_of
    FROM bi.completeness GROUP BY shop, to_char(day, 'YYYY-MM') ORDER BY shop, month`);
  return { unverified: await readUnverified(client), months: rows };
}

/** What is proven of each shop and month of some partitions. */
export function verificationOf(
  partitions: readonly Pick<ManifestPartition, 'shop' | 'month'>[],
  { unverified, months }: Verdicts,
): readonly Verification[] {
  const known = new Map(partitions.map(({ shop, month }) => [`${shop} ${month}`, { shop, month }]));
  return [...known.values()].flatMap(({ shop, month }): readonly Verification[] => {
    if (shop === null || month === null) return [];
    const open = unverified.find((one) => one.shop === shop);
    // A day of the ledger also stands for the days before it that it does not name.
    const stands = months.find((one) => one.shop === shop && one.month >= month);
    const clip = (spans: readonly DaySpan[] = []) => spans.flatMap((span) => within(span, month));
    const days = { unverified: clip(open?.days), unverified_lines: clip(open?.line_days) };
    return [{ shop, month, as_of: stands?.as_of ?? null, ...days }];
  });
}

/** The part of a span that lies in a month. */
function within({ from, to }: DaySpan, month: string): { from: string; to: string }[] {
  const first = `${month}-01`;
  const last = Temporal.PlainDate.from(first).add({ months: 1 }).subtract({ days: 1 }).toString();
  const part = { from: from === null || from < first ? first : from, to: to > last ? last : to };
  return part.from <= part.to ? [part] : [];
}
