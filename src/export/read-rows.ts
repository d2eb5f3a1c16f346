import { type Client, Query } from 'pg';

/** A row's values as PostgreSQL's text. */
export type TextRow = readonly (string | null)[];

const AS_TEXT = { getTypeParser: () => (text: string | Buffer) => text };

/**
 * Hands on each row as it comes; none is kept. Meanwhile nothing else is read, so that the server waits where rows are taken
 * more slowly than it has them. After what `take` throws nothing more is taken; to end the connection is up to the caller.
 *
 * @throws DatabaseError, and what `take` throws
 */
export async function readRows(client: Client, text: string, take: (row: TextRow) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let hasFailed = false;
  const query = { text, rowMode: 'array', types: AS_TEXT } as const;
  client
    .query(new Query<(string | null)[]>(query))
    .on('row', (row) => {
      if (hasFailed) return;
      try {
        take(row);
      } catch (error) {
        hasFailed = true;
        reject(error);
      }
    })
    .on('end', () => resolve())
    .on('error', reject);
  await promise;
}
