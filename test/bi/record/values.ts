/** Values of which there are so few that they meet everywhere. */
import { sql } from 'drizzle-orm';

import type { Random } from '../../../src/simulator/shop/random.ts';
import type { Db, Tx } from '../../../src/warehouse/db/database.ts';

export const FIRST_DAY = Temporal.PlainDate.from('2025-10-20');
export const DAYS = 130;
/** Days with several orders each, also of one customer. */
export const orderDay = (random: Random) => FIRST_DAY.add({ days: 9 * random.below(14) + random.below(2) });

/** Codes of the shop's own, the first two of which are not shown. */
export const UNKNOWN = ['no code', 'call Anna', 'X7', 'T1'] as const;
export const STATUSES = [...'N A P C R F U own'.split(' '), ...UNKNOWN, 'Z', 'V', ''];
export const PAY_STATUSES = ['', 'S', 'HP', 'FP', 'own', ...UNKNOWN, 'V'] as const;
export const BUYERS = ['101', '102', '103', '104', '105', '106', '107'] as const;

/** An instant of that day, or some days later. */
export function instant(day: Temporal.PlainDate, random: Random, later = 0): Temporal.Instant {
  const [hour, minute] = [random.pick([0, 2, 9, 9, 9, 23]), random.below(60)];
  const time = Temporal.PlainTime.from({ hour, minute, second: 30 });
  return day.add({ days: later }).toZonedDateTime({ timeZone: 'UTC', plainTime: time }).toInstant();
}

export const cents = (random: Random, most = 4_000) => (random.between(0, most) / 100).toFixed(2);

export const maybe = <Value>(random: Random, value: Value, probability = 0.85) =>
  random.chance(probability) ? value : null;

/** Adds rows to a table that only triggers write into. */
export async function insertRows(db: Db | Tx, table: string, rows: readonly object[]): Promise<void> {
  const [name, columns] = [sql.raw(table), sql.raw(Object.keys(rows[0] ?? {}).join(', '))];
  if (rows.length === 0) return;
  await db.execute(sql`
    INSERT INTO ${name} (${columns})
    SELECT ${columns} FROM json_populate_recordset(null::${name}, ${JSON.stringify(rows)}::json)`);
}
