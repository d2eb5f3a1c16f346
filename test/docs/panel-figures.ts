/** The demo warehouse as the dashboards ask for it, and the sums of what they answer. */
import type { Answer } from './as-reader.ts';
import type { Selection } from './dashboards.ts';
import { TIMEZONE } from './demo-warehouse.ts';
import { NUMBERS } from './panel-problems.ts';

/** What the variables of the dashboards offer first. */
export const chosen = { shop: 'demo', currency: 'RUB', field: 'source' };

/** A range that ends in the middle of a day, as "now" does. */
export const QUARTER: Selection = { from: '2025-12-14T23:00:00Z', to: '2026-03-14T12:00:00.123Z', chosen };

/** First and last days of ranges in the shop's zone; the last sweep was on 14 March. */
export const RANGES = [
  ['2025-12-15', '2026-03-14'],
  ['2026-03-07', '2026-03-13'],
  ['2024-03-14', '2026-03-13'],
  ['2030-01-01', '2030-01-07'],
] as const;

/** Whole days in the zone of Grafana, from the first moment to the last. */
export function daysOf(first: string, last: string, zone = TIMEZONE): Selection {
  const startOf = (day: string, days: number) =>
    Temporal.PlainDate.from(day).add({ days }).toZonedDateTime(zone).toInstant();
  return {
    from: String(startOf(first, 0)),
    to: String(startOf(last, 1).subtract({ milliseconds: 1 })),
    chosen,
  };
}

/** The sum of the column of that name, in cents. */
export function total({ fields, rows }: Answer, name: string): bigint {
  const at = fields.findIndex((field) => field.name === name);
  if (at === -1) throw new Error(`there is no column ${name}`);
  return rows.reduce((sum, row) => sum + cents(row[at] ?? '0'), 0n);
}

/** An amount with at most two digits after its point. */
export function cents(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0').slice(0, 2));
}

/** Whether any figure but 0 is shown. */
export function hasFigures({ fields, rows }: Answer): boolean {
  const isFigure = fields.map(({ type }) => NUMBERS.includes(type));
  return rows.some((row) => row.some((value, at) => isFigure[at] === true && Number(value ?? 0) !== 0));
}
