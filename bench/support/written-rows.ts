/** Rows that PostgreSQL wrote, by table. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

export type WrittenRows = ReadonlyMap<string, number>;

/** A process tells the statistics what it wrote when it ends, and others see that a moment later. */
const SETTLED_MS = 1_500;

/** Rows inserted, updated and deleted until now, by `schema.table`. */
export async function readWrittenRows(client: Client): Promise<WrittenRows> {
  await sleep(SETTLED_MS);
  const { rows } = await client.query<{ name: string; written: string }>(
    `SELECT schemaname || '.' || relname AS name, n_tup_ins + n_tup_upd + n_tup_del AS written FROM pg_stat_user_tables`,
  );
  return new Map(rows.map(({ name, written }) => [name, Number(written)]));
}

/** What was written between two readings; tables without a row are left out. */
export function writtenSince(before: WrittenRows, after: WrittenRows): WrittenRows {
  const grown = [...after].map(([name, written]) => [name, written - (before.get(name) ?? 0)] as const);
  return new Map(grown.filter(([, written]) => written > 0));
}
