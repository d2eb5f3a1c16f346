/** Column kinds used by several schemas. */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, check, customType, jsonb, numeric, timestamp } from 'drizzle-orm/pg-core';

import type { JsonValue } from '../../model/json.ts';

/** A 64-bit identifier: decimal text in TypeScript, so that no digit is lost. */
export const id64 = customType<{ data: string; driverData: string }>({ dataType: () => 'bigint' });

export const instant = customType<{ data: Temporal.Instant; driverData: Temporal.Instant | string }>({
  dataType: () => 'timestamp with time zone',
  toDriver: String,
});
/** By the clock of the database, where nothing else is set. */
export const instantNow = (name: string) =>
  instant(name)
    .notNull()
    .default(sql`now()`);
/** A time of the shop's clock, written as the shop sent it. */
export const localTime = (name: string) => timestamp(name, { mode: 'string' });
export const localDay = customType<{ data: Temporal.PlainDate; driverData: string }>({
  dataType: () => 'date',
  toDriver: String,
  fromDriver: (text) => Temporal.PlainDate.from(text),
});
export const money = (name: string) => numeric(name, { precision: 14, scale: 2 });
/** A sum of amounts: any number of the largest fit. */
export const moneySum = (name: string) => numeric(name, { precision: 20, scale: 2 });
export const quantity = (name: string) => numeric(name, { precision: 14, scale: 3 });
export const percent = (name: string) => numeric(name, { precision: 7, scale: 4 });
export const json = (name: string) => jsonb(name).$type<JsonValue>();

/** A check that a column holds one of these words. */
export function isOneOf(name: string, column: AnyPgColumn, words: readonly string[]) {
  return check(name, sql`${column} IN (${sql.raw(words.map((word) => `'${word}'`).join(','))})`);
}
