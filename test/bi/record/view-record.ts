/** What every view shows, column by column. */
import { createHash } from 'node:crypto';

import { sql } from 'drizzle-orm';

import { VIEW_KEYS } from '../../docs/view-keys.ts';
import type { TestWarehouse } from '../../warehouse/test-warehouse.ts';

/** They depend on the day on which they are read; all orders are so old that nothing else does. */
const OF_TODAY: Readonly<Record<string, readonly string[]>> = {
  'bi.completeness': ['age_days'],
  'bi.customer_rfm': ['recency_days'],
  'bi.open_orders': ['age_days'],
  'bi.sync_freshness': ['due_days'],
  'bi.unverified_days': ['last_day'],
};

/** How many rows each view has, and a digest of each column. */
export async function viewRecord(
  warehouse: Pick<TestWarehouse, 'rows'>,
  shopIds: readonly number[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [name, { key }] of Object.entries(VIEW_KEYS)) {
    if (!key.includes('shop_id')) continue;
    const rows = await warehouse.rows(sql`
      SELECT to_jsonb(v) - 'shop_id' AS row FROM ${sql.raw(name)} v
      WHERE shop_id IN (${sql.raw(shopIds.join())})
      ORDER BY ${sql.raw(key.map((column) => `${column}::text COLLATE "C"`).join())}`);
    const shown = rows.map(({ row }) => Object(row) as Readonly<Record<string, unknown>>);
    const left = OF_TODAY[name] ?? [];
    const columns = Object.keys(shown[0] ?? {}).filter((column) => !left.includes(column));
    lines.push(`${name}: ${rows.length} rows`);
    for (const column of columns.toSorted())
      lines.push(`  ${column} ${digest(shown.map((row) => row[column]))}`);
  }
  return lines;
}

function digest(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 8);
}
