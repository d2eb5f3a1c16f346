import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';

/** A timestamptz as PostgreSQL writes it, as an instant. */
export function parseInstant(text: string): Temporal.Instant;
export function parseInstant(text: string | null): Temporal.Instant | undefined;
export function parseInstant(text: string | null): Temporal.Instant | undefined {
  return text === null ? undefined : Temporal.Instant.from(text);
}

/** A timestamptz as PostgreSQL writes it, in ISO 8601: `2026-01-31T12:00:00.123Z`. */
export function toIso(text: string): string;
export function toIso(text: string | null): string | null;
export function toIso(text: string | null): string | null {
  return parseInstant(text)?.toString() ?? null;
}

type Stored<Value> = Value extends Temporal.Instant ? string : Value extends undefined ? null : Value;
/** A row of a query whose columns are named as these fields: instants are text, and what may be undefined is null. */
export type RowOf<Fields> = { [Name in keyof Fields]: Stored<Fields[Name]> };

/** The database's clock is the same for all processes. */
export async function readDatabaseClock(db: Db): Promise<Temporal.Instant> {
  const { rows } = await db.execute<{ now: string }>(sql`SELECT now() AS now`);
  return parseInstant(rows[0]?.now ?? '');
}
