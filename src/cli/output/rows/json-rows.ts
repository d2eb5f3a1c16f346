import type { Io } from '../io.ts';
import type { WriteRows } from './result-format.ts';

/** An array with one object per line, which PostgreSQL has written: numbers keep all their digits. */
export function jsonWriter(io: Io): WriteRows {
  return async (_columns, batches) => {
    let separator = '[\n';
    for await (const rows of batches) {
      // A JSON value may be written over several lines.
      const objects = rows.map(([object]) => (object ?? 'null').replaceAll('\n', ' '));
      io.out(separator + objects.join(',\n'));
      separator = ',\n';
      if (!io.outIsOpen()) return;
    }
    io.out(separator === '[\n' ? '[]\n' : '\n]\n');
  };
}
