/** How results look for people: sentences, tables and facts, as wide as the terminal, if there is one. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

import { grouped } from '../../model/amount-text.ts';
import { type CliContext, visible } from './io.ts';

type Rows = readonly (readonly string[])[];
export type Fact = readonly [name: string, value: string];

/** A piece of a result. */
export type Block =
  /** Sentences, a line each; an empty text is an empty line. */
  | string
  /** Columns, the first row being their heading. @default numeric those in which each text is a number */
  | { readonly table: Rows; readonly numeric?: readonly boolean[] }
  /** Names and values, one below the other. */
  | { readonly facts: readonly Fact[] };

const GAP = '  ';
/** A column of text is not made narrower than this; rather, each row gets a block of its own. */
const MIN_TEXT_WIDTH = 8;

type Value = string | number | boolean | null | undefined;
export type Shown = Readonly<Record<string, Value>>;

/** A table of rows. @param names of the columns, of which the headings are made */
export function rowsOf(rows: readonly Shown[], names = Object.keys(rows[0] ?? {})): Block {
  const heading = names.map((name) => name.replaceAll('_', ' '));
  return { table: [heading, ...rows.map((row) => names.map((name) => valueText(row[name])))] };
}

/** Names and values of a document; `-` where there is none. */
export function factsOf(row: Shown): Block {
  return {
    facts: Object.entries(row).map(([name, value]) => [name.replaceAll('_', ' '), valueText(value ?? '-')]),
  };
}

function valueText(value: Value): string {
  if (typeof value === 'number') return grouped(value);
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : (value ?? '');
}

/** Prints a result: with `--json` documents, one per line, otherwise what people read. */
export function print(
  { io, flags }: Pick<CliContext, 'io' | 'flags'>,
  blocks: readonly Block[],
  documents: readonly object[] = [],
): void {
  const lines = documents.map((document) => `${JSON.stringify(document)}\n`);
  io.out(flags.json ? lines.join('') : layOut(blocks, io.outColumns()));
}

/** @param columns of the terminal; undefined without one, and nothing is wrapped then */
export function layOut(blocks: readonly Block[], columns = Number.POSITIVE_INFINITY): string {
  const lines = blocks.flatMap((block) => {
    if (typeof block === 'string') return block.split('\n').flatMap((line) => wrapLine(line, columns));
    return 'table' in block ? tableLines(block, columns) : factLines(block.facts, columns);
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Breaks text between words, in a cell also within one that is longer than a line. */
function wrap(text: string, width: number, isCell = true): readonly string[] {
  if (!Number.isFinite(width)) return [text];
  return wrapAnsi(text, Math.max(1, width), { hard: isCell }).split('\n');
}

/** Under the indentation of its own. */
function wrapLine(line: string, columns: number): readonly string[] {
  const shown = visible(line);
  const indent = /^ */.exec(shown)?.[0] ?? '';
  const hanging = indent === '' ? '' : `${indent}  `;
  // An address stays in one piece, as it has to be copied.
  const parts = wrap(shown.slice(indent.length), columns - hanging.length, false);
  return parts.map((part, index) => `${index === 0 ? indent : hanging}${part}`);
}

/** Where the terminal is narrower, the widest text is wrapped, or else each row becomes a block; numbers are never wrapped. */
function tableLines(block: Extract<Block, { table: Rows }>, columns: number): readonly string[] {
  const rows = block.table.map((row) => row.map(visible));
  const [heading = [], ...body] = rows;
  const isNumber = (text: string) => /^[-+]?[\d,.]*( ?%)?$/.test(text);
  const numeric =
    block.numeric ?? heading.map((_, column) => body.every((row) => isNumber(row[column] ?? '')));
  const widths = chooseWidths(rows, numeric, columns);
  if (widths !== undefined) return rows.flatMap((row) => rowLines(row, widths, numeric));
  const blocks = body.map((row) => heading.map((name, column): Fact => [name, row[column] ?? '']));
  return blocks.flatMap((facts, index) => [...(index > 0 ? [''] : []), ...factLines(facts, columns)]);
}

/** @returns undefined where the table does not fit, however narrow its widest text is made */
function chooseWidths(
  rows: Rows,
  numeric: readonly boolean[],
  columns: number,
): readonly number[] | undefined {
  const widths = numeric.map((_, column) =>
    Math.max(0, ...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  const excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  if (excess <= 0) return widths;
  const widest = Math.max(...widths.filter((_, column) => numeric[column] !== true));
  if (widest - excess < MIN_TEXT_WIDTH) return undefined;
  return widths.with(
    widths.findIndex((width, column) => width === widest && numeric[column] !== true),
    widest - excess,
  );
}

function rowLines(
  row: readonly string[],
  widths: readonly number[],
  numeric: readonly boolean[],
): readonly string[] {
  const cells = widths.map((width, column) => wrap(row[column] ?? '', width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) => {
    const parts = cells.map((lines, column) => {
      const [line = '', width = 0] = [lines[index], widths[column]];
      const space = ' '.repeat(Math.max(0, width - stringWidth(line)));
      return numeric[column] === true ? space + line : line + space;
    });
    return parts.join(GAP);
  });
}

function factLines(facts: readonly Fact[], columns: number): readonly string[] {
  const width = Math.max(0, ...facts.map(([name]) => stringWidth(name)));
  const space = Math.max(MIN_TEXT_WIDTH, columns - width - 2 * GAP.length);
  return facts.flatMap(([name, value]) =>
    wrap(visible(value), space).map((line, index) => {
      const label = index === 0 ? name + ' '.repeat(width - stringWidth(name)) : ' '.repeat(width);
      return `${GAP}${label}${GAP}${line}`;
    }),
  );
}
