import type { QueryColumn, QueryRow } from '../../../warehouse/query/read-query.ts';

/** As money has. */
const MIN_DIGITS = 2;
const FRACTION = /^-?\d+\.(\d*?)0*$/;

/**
 * Averages and quotients end in zeros that say nothing: 390.0000000000000000. Such zeros are removed as far as all values of the
 * column have them, down to two digits. No digit but a zero is removed, and the points stay below each other.
 */
export function trimFractions(
  columns: readonly QueryColumn[],
  rows: readonly QueryRow[],
): readonly QueryRow[] {
  const kept = columns.map(({ isUnscaled }, at) =>
    isUnscaled ? Math.max(MIN_DIGITS, ...rows.map((row) => neededDigits(row[at]))) : undefined,
  );
  if (kept.every((digits) => digits === undefined)) return rows;
  return rows.map((row) => row.map((value, at) => trimmed(value, kept[at])));
}

const neededDigits = (value: string | null | undefined) => FRACTION.exec(value ?? '')?.[1]?.length ?? 0;

function trimmed(value: string | null, digits: number | undefined): string | null {
  const point = value?.indexOf('.') ?? -1;
  return digits === undefined || point === -1 ? value : (value?.slice(0, point + 1 + digits) ?? null);
}
