import { type Client, Query } from 'pg';

import type { ExportFormat } from './export-format.ts';

/** pg itself passes over what a COPY sends. */
class Copy extends Query {
  readonly #take: (row: Buffer) => void;
  #failure: { readonly error: unknown } | undefined;

  constructor(text: string, take: (row: Buffer) => void) {
    super(text);
    this.#take = take;
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#failure !== undefined) return;
    try {
      this.#take(chunk);
    } catch (error) {
      this.#failure = { error };
      this.emit('error', error);
    }
  }
}

/**
 * Hands on each row of a query as COPY writes it, and keeps none: its bytes are the next row's afterwards. Meanwhile nothing else is
 * read, so that the server waits where rows are taken more slowly than it has them. After what `take` throws nothing more is
 * taken; to end the connection is up to the caller.
 *
 * @throws DatabaseError, and what `take` throws
 */
export async function copyRows(
  client: Client,
  query: string,
  format: ExportFormat,
  take: (row: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const copy = new Copy(`COPY (${query}) TO STDOUT (FORMAT ${format === 'csv' ? 'csv' : 'text'})`, take);
  client.query(copy.on('end', () => resolve()).on('error', reject));
  await promise;
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The values of a row in COPY's format `text`. */
export function readFields(row: Buffer): readonly (string | null)[] {
  // Each row ends with a line feed.
  return row
    .toString('utf8', 0, row.length - 1)
    .split('\t')
    .map((field) => {
      if (field === '\\N') return null;
      return field.includes('\\')
        ? field.replaceAll(/\\(.)/g, (_, mark: string) => ESCAPED[mark] ?? mark)
        : field;
    });
}
