import type { Client, Connection, Submittable } from 'pg';

/**
 * Runs a `COPY ... TO STDOUT`, and hands on each of its messages as it comes: a row, or the line of names before the first. Meanwhile
 * nothing is read, so that the server waits where rows are taken more slowly than it has them. What `take` throws ends the
 * connection.
 *
 * @throws DatabaseError, and what `take` throws
 */
export async function copyOut(client: Client, text: string, take: (chunk: Buffer) => void): Promise<void> {
  const copy = new CopyOut(text, take);
  client.query(copy);
  await copy.done;
}

/** What pg hands the server's messages to. */
class CopyOut implements Submittable {
  readonly done: Promise<void>;
  readonly #text: string;
  readonly #take: (chunk: Buffer) => void;
  readonly #outcome = Promise.withResolvers<void>();

  constructor(text: string, take: (chunk: Buffer) => void) {
    this.#text = text;
    this.#take = take;
    this.done = this.#outcome.promise;
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }, { stream }: Connection): void {
    if (stream.destroyed) return;
    try {
      this.#take(chunk);
    } catch (error) {
      this.#outcome.reject(error);
      stream.destroy();
    }
  }

  handleCommandComplete(): void {
    // The server is ready right afterwards.
  }

  handleError(error: Error): void {
    this.#outcome.reject(error);
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve();
  }
}
