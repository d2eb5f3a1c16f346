/** Writes the result of a query, as a table or in one of the forms for programs. */
import type { QueryColumn, QueryResult, QueryRow } from '../../warehouse/query/read-query.ts';
import type { Io } from './io.ts';
import { layOut } from './layout.ts';

/** CSV with a heading. */
export async function writeCsv(io: Io, { columns, batches }: QueryResult): Promise<void> {
  io.out(csvLine(columns.map(({ name }) => name)));
  for await (const rows of batches) {
    io.out(rows.map(csvLine).join(''));
    if (!io.outIsOpen()) return;
  }
}

/** As of RFC 4180. NULL is empty, an empty text is `""`, as in PostgreSQL's own CSV. */
const csvLine = (values: QueryRow) => `${values.map(csvValue).join(',')}\n`;

function csvValue(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** One document, on one line: the rows, and the shops that are not verified throughout. Numbers keep all their digits. */
export async function writeJson(io: Io, { columns, batches, unverified }: QueryResult): Promise<void> {
  const keys = uniqueNames(columns).map((name) => JSON.stringify(name));
  const jsonRow = (row: QueryRow) =>
    `{${row.map((value, at) => `${keys[at]}:${jsonValue(columns[at], value)}`).join(',')}}`;
  let separator = '{"rows":[';
  try {
    for await (const rows of batches) {
      if (rows.length === 0) continue;
      io.out(separator + rows.map(jsonRow).join(','));
      separator = ',';
      if (!io.outIsOpen()) return;
    }
  } catch (error) {
    // Its error is printed on a separate line.
    if (separator === ',') io.out('\n');
    throw error;
  }
  io.out(`${separator === ',' ? '' : separator}],"unverified":${JSON.stringify(unverified)}}\n`);
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
export async function writeTable(io: Io, { columns, batches }: QueryResult): Promise<void> {
  const rows: QueryRow[] = [];
  for await (const batch of batches) {
    rows.push(...batch);
    if (rows.length > TABLE_ROWS) break;
  }
  const shown = rows.slice(0, TABLE_ROWS);
  const heading = columns.map(({ name }) => name);
  const body = shown.map((row) => row.map((value, at) => cellText(columns[at], value)));
  const numeric = columns.map(({ kind }) => kind === 'number');
  const isAll = rows.length === shown.length;
  const count = isAll ? [`(${rows.length === 1 ? '1 row' : `${rows.length} rows`})`] : [];
  io.out(layOut([{ table: [heading, ...body], numeric }, ...count], io.outColumns()));
  if (!isAll) {
    io.err(`These are the first ${TABLE_ROWS} rows; --format csv or --format json prints all of them.\n`);
  }
}

/** Averages and quotients end in zeros that say nothing, 390.0000000000000000: they are removed, down to two digits. */
function cellText(column: QueryColumn | undefined, value: string | null): string {
  if (value === null) return 'NULL';
  return column?.isUnscaled === true ? value.replace(/^(-?\d+\.\d\d\d*?)0+$/, '$1') : value;
}
