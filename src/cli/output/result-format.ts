import { csvLine } from '../../csv-line.ts';
import type { QueryResult } from '../../warehouse/query/read-query.ts';
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

/** An array with one object per line, which PostgreSQL has written: numbers keep all their digits. */
export function jsonWriter(io: Io): WriteRows {
  return async ({ batches }) =>
    writeList(io, batches, { open: '[\n', comma: ',\n', close: '\n]\n', empty: '[]\n' });
}

/** One document, on one line: the rows, and the shops that are not verified throughout. */
export function documentWriter(io: Io): WriteRows {
  return async ({ batches, unverified }) => {
    const close = `],"unverified":${JSON.stringify(unverified)}}\n`;
    await writeList(io, batches, { open: '{"rows":[', comma: ',', close, empty: `{"rows":[${close}` });
  };
}

type ListText = {
  readonly open: string;
  readonly comma: string;
  readonly close: string;
  readonly empty: string;
};

async function writeList(io: Io, batches: QueryResult['batches'], text: ListText): Promise<void> {
  let separator = text.open;
  for await (const rows of batches) {
    // A JSON value may be written over several lines.
    const objects = rows.map(([object]) => (object ?? 'null').replaceAll('\n', ' '));
    io.out(separator + objects.join(text.comma));
    separator = text.comma;
    if (!io.outIsOpen()) return;
  }
  io.out(separator === text.open ? text.empty : text.close);
}
