import type { Io } from '../io.ts';
import type { WriteRows } from './result-format.ts';

/** CSV as of RFC 4180, with a heading. NULL is empty, an empty text is `""`, as in PostgreSQL's own CSV. */
export function csvWriter(io: Io): WriteRows {
  return async (columns, batches) => {
    io.out(csvLine(columns.map(({ name }) => name)));
    for await (const rows of batches) {
      io.out(rows.map(csvLine).join(''));
      if (!io.outIsOpen()) return;
    }
  };
}

const csvLine = (values: readonly (string | null)[]) => `${values.map(csvValue).join(',')}\n`;

function csvValue(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
