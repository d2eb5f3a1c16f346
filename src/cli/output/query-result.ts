/** Writes the result of a query, as a table or in one of the forms for programs. */
import { csvLine } from '../../csv-line.ts';
import type { QueryColumn, QueryResult, QueryRow } from '../../warehouse/query/read-query.ts';
import { displayWidth, fitted, visible, wrap } from './display-text.ts';
import type { Io } from './io.ts';

export const RESULT_FORMATS = ['table', 'csv', 'json'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

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

/**
 * One document, on one line: the rows, and the shops that are not verified throughout. PostgreSQL has written the rows, so
 * numbers keep all their digits.
 */
export function jsonWriter(io: Io): WriteRows {
  return async ({ batches, unverified }) => {
    let separator = '{"rows":[';
    for await (const rows of batches) {
      // A JSON value may be written over several lines.
      const objects = rows.map(([object]) => (object ?? 'null').replaceAll('\n', ' '));
      io.out(separator + objects.join(','));
      separator = ',';
      if (!io.outIsOpen()) return;
    }
    io.out(`${separator === ',' ? '' : separator}],"unverified":${JSON.stringify(unverified)}}\n`);
  };
}

/** A table is for people: beyond this it ends. */
const TABLE_ROWS = 1000;
/** A column of text is not cut to less; rather, each row gets a block of its own. */
const MIN_TEXT_WIDTH = 12;
const GAP = '  ';
const CUT = '(… marks texts that are cut; --format csv prints them whole)';

/** A table as wide as the terminal, if standard output is one; a result of too many columns as one block per row. */
export function tableWriter(io: Io): WriteRows {
  return async ({ columns, batches }) => {
    const rows: QueryRow[] = [];
    for await (const batch of batches) {
      rows.push(...batch);
      if (rows.length > TABLE_ROWS) break;
    }
    const shown = trimFractions(columns, rows.slice(0, TABLE_ROWS));
    io.out(renderTable(columns, shown, io.outColumns()));
    const isAll = rows.length === shown.length;
    io.out(isAll ? `(${rows.length === 1 ? '1 row' : `${rows.length} rows`})\n` : '');
    if (!isAll) {
      io.err(`These are the first ${TABLE_ROWS} rows; --format csv or --format json prints all of them.\n`);
    }
  };
}

/** @param columns that the terminal has; undefined: nothing is cut */
export function renderTable(
  columns: readonly QueryColumn[],
  rows: readonly QueryRow[],
  available: number | undefined,
): string {
  const heading = columns.map(({ name }) => visible(name));
  const body = rows.map((row) => row.map((value) => (value === null ? 'NULL' : visible(value))));
  const natural = heading.map((name, at) =>
    Math.max(displayWidth(name), ...body.map((row) => displayWidth(row[at] ?? ''))),
  );
  const widths = available === undefined ? natural : fitWidths(columns, natural, available);
  if (widths === undefined) return renderBlocks(heading, body);
  const isCut = widths.some((width, at) => width < (natural[at] ?? 0));
  const line = (cells: readonly string[]) =>
    cells
      .map((text, at) => fitted(text, widths[at] ?? 0, columns[at]?.isNumeric))
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join(GAP);
  const cut = isCut ? wrap(CUT, available ?? CUT.length) : [];
  return `${[line(heading), rule, ...body.map(line), ...cut].join('\n')}\n`;
}

/** Cuts the widest columns of text, but none of numbers. @returns undefined when that is not enough */
function fitWidths(
  columns: readonly QueryColumn[],
  natural: readonly number[],
  available: number,
): readonly number[] | undefined {
  const widthOf = (limit: number) =>
    natural.map((width, at) => (columns[at]?.isNumeric === true ? width : Math.min(width, limit)));
  const total = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let limit = Math.max(...natural, MIN_TEXT_WIDTH); limit >= MIN_TEXT_WIDTH; limit -= 1) {
    const widths = widthOf(limit);
    if (total(widths) <= available) return widths;
  }
  return undefined;
}

function renderBlocks(heading: readonly string[], body: readonly (readonly string[])[]): string {
  const nameWidth = Math.max(...heading.map(displayWidth));
  return body
    .map((row, index) => {
      const lines = heading.map((name, at) => `${fitted(name, nameWidth)}${GAP}${row[at] ?? ''}`);
      return `── row ${index + 1} ──\n${lines.join('\n')}\n`;
    })
    .join('');
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
