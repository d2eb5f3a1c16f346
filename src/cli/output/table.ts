import stringWidth from 'string-width';

import { wrap } from './display-text.ts';

const GAP = '  ';
/** A column of text is not made narrower than this; rather, each row gets a block of its own. */
const MIN_TEXT_WIDTH = 8;

type Rows = readonly (readonly string[])[];

const isNumericIn = (body: Rows, column: number) =>
  body.every((row) => /^[-+]?[\d,.]*( ?%)?$/.test(row[column] ?? ''));

/**
 * Rows as text in columns, numeric ones aligned right. The first row is the heading. Where the terminal is narrower, headings
 * and then texts are wrapped, the widest first; numbers never are.
 *
 * @param columns of the terminal; undefined: nothing is wrapped
 * @param numeric which columns are numeric; by default, those in which each text is a number
 */
export function table(rows: Rows, columns?: number, numeric?: readonly boolean[]): string {
  const [heading = [], ...body] = rows;
  const isNumeric = numeric ?? heading.map((_, column) => isNumericIn(body, column));
  const widths = chooseWidths(heading, body, isNumeric, columns ?? Number.POSITIVE_INFINITY);
  if (widths === undefined) return blocks(heading, body, columns);
  return rows.map((row) => rowText(row, widths, isNumeric)).join('');
}

/** @returns undefined where not even the narrowest columns fit */
function chooseWidths(
  heading: readonly string[],
  body: Rows,
  isNumeric: readonly boolean[],
  columns: number,
): readonly number[] | undefined {
  const contents = heading.map((_, column) =>
    Math.max(0, ...body.map((row) => stringWidth(row[column] ?? ''))),
  );
  const natural = heading.map((name, column) => Math.max(stringWidth(name), contents[column] ?? 0));
  if (totalWidth(natural) <= columns) return natural;
  const widths = heading.map((name, column) =>
    Math.max(...name.split(' ').map((word) => stringWidth(word)), contents[column] ?? 0),
  );
  while (totalWidth(widths) > columns) {
    const texts = widths.map((width, column) => (isNumeric[column] === true ? 0 : width));
    const widest = Math.max(...texts);
    if (widest <= MIN_TEXT_WIDTH) return undefined;
    widths[texts.indexOf(widest)] = widest - 1;
  }
  // What is left of the line goes to headings that were wrapped.
  return widths.map((width, column) => {
    const wanted = Math.max(0, (natural[column] ?? 0) - width);
    const given = Math.min(wanted, columns - totalWidth(widths));
    widths[column] = width + given;
    return width + given;
  });
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function rowText(row: readonly string[], widths: readonly number[], isNumeric: readonly boolean[]): string {
  const cells = widths.map((width, column) => wrap(row[column] ?? '', width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) => {
    const parts = cells.map((lines, column) => {
      const [line = '', width = 0] = [lines[index], widths[column]];
      const space = ' '.repeat(Math.max(0, width - stringWidth(line)));
      return isNumeric[column] === true ? space + line : line + space;
    });
    return `${parts.join(GAP).trimEnd()}\n`;
  }).join('');
}

/** Each row as a list of its values. */
function blocks(heading: readonly string[], body: Rows, columns?: number): string {
  const list = (row: readonly string[]) =>
    facts(
      heading.map((name, column) => [name, row[column] ?? '']),
      columns,
    );
  return body.map(list).join('\n');
}

/** Names and values, one below the other; values are wrapped to the width of the terminal, if there is one. */
export function facts(rows: readonly (readonly [name: string, value: string])[], columns?: number): string {
  const width = Math.max(0, ...rows.map(([name]) => stringWidth(name)));
  const space = columns === undefined ? Number.POSITIVE_INFINITY : columns - width - 2 * GAP.length;
  return rows
    .flatMap(([name, value]) =>
      wrap(value, Math.max(MIN_TEXT_WIDTH, space)).map((line, index) =>
        `${GAP}${index === 0 ? name + ' '.repeat(width - stringWidth(name)) : ' '.repeat(width)}${GAP}${line}`.trimEnd(),
      ),
    )
    .map((line) => `${line}\n`)
    .join('');
}
