/** Writes the result of a query, as a table or in one of the forms for programs. */
import { csvLine } from './csv-line.ts';
import type { QueryColumn, QueryResult, QueryRow } from '../../warehouse/query/read-query.ts';
import { visible } from './display-text.ts';
import type { Io } from './io.ts';
import { table } from './table.ts';

/** Writes the rows of a result, batch after batch. */
export type WriteRows = (result: QueryResult) => Promise<void>;

/** CSV with a heading. */
export function csvWriter(io: Io): WriteRows {
  return async ({ columns, batches }) => {
    io.out(csvLine(columns.map(({ name }) => name)));
    for await (const rows of batches) {
      io.out(rows.map(csvLine).join(''));
      if (!io.outIsOpen()) return;
    }
  };
}

/** One document, on one line: the rows, and the shops that are not verified throughout. Numbers keep all their digits. */
export function jsonWriter(io: Io): WriteRows {
  return async ({ columns, batches, unverified }) => {
    const keys = uniqueNames(columns).map((name) => JSON.stringify(name));
    const jsonRow = (row: QueryRow) =>
      `{${row.map((value, at) => `${keys[at]}:${jsonValue(columns[at], value)}`).join(',')}}`;
    let separator = '{"rows":[';
    for await (const rows of batches) {
      if (rows.length === 0) continue;
      io.out(separator + rows.map(jsonRow).join(','));
      separator = ',';
      if (!io.outIsOpen()) return;
    }
    io.out(`${separator === ',' ? '' : separator}],"unverified":${JSON.stringify(unverified)}}\n`);
  };
}

/** A query may name two columns alike; the keys of an object may not be. */
function uniqueNames(columns: readonly QueryColumn[]): readonly string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

const IS_FINITE = /^-?\d/;
/** Of a time as PostgreSQL writes it; ISO 8601 has a T, and minutes in each offset. */
const TIME = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d)?/;

function jsonValue(column: QueryColumn | undefined, value: string | null): string {
  if (value === null) return 'null';
  switch (column?.kind) {
    case 'number':
      return IS_FINITE.test(value) ? value : JSON.stringify(value);
    case 'boolean':
      return value;
    // It may be written over several lines.
    case 'json':
      return value.replaceAll('\n', ' ');
    case 'time':
      return JSON.stringify(
        value.replace(
          TIME,
          (_, day, time, hours = '', minutes = hours && ':00') => `${day}T${time}${hours}${minutes}`,
        ),
      );
    default:
      return JSON.stringify(value);
  }
}

/** A table is for people: beyond this it ends. */
const TABLE_ROWS = 1000;

/** A table as wide as the terminal, if standard output is one. */
export function tableWriter(io: Io): WriteRows {
  return async ({ columns, batches }) => {
    const rows: QueryRow[] = [];
    for await (const batch of batches) {
      rows.push(...batch);
      if (rows.length > TABLE_ROWS) break;
    }
    const shown = trimFractions(columns, rows.slice(0, TABLE_ROWS));
    const heading = columns.map(({ name }) => visible(name));
    const body = shown.map((row) => row.map((value) => (value === null ? 'NULL' : visible(value))));
    const numeric = columns.map(({ kind }) => kind === 'number');
    io.out(table([heading, ...body], io.outColumns(), numeric));
    const isAll = rows.length === shown.length;
    io.out(isAll ? `(${rows.length === 1 ? '1 row' : `${rows.length} rows`})\n` : '');
    if (!isAll) {
      io.err(`These are the first ${TABLE_ROWS} rows; --format csv or --format json prints all of them.\n`);
    }
  };
}

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
