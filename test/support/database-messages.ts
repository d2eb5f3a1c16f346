/** Messages of PostgreSQL's wire protocol, as far as a proxy needs to tell them apart. */

export type Message = {
  /** One letter; empty for the first message of a client, which has none. */
  readonly type: string;
  /** The message as it came, its head included. */
  readonly bytes: Buffer;
  /** Of a simple query (`Q`) and of the first step of an extended one (`P`). */
  readonly sql: string | undefined;
};

/** Cuts a stream into messages, however its chunks lie. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #isTyped: boolean;

  constructor(kind: 'typed' | 'untyped first') {
    this.#isTyped = kind === 'typed';
  }

  read(chunk: Buffer): readonly Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (let bytes = this.#next(); bytes !== undefined; bytes = this.#next()) {
      const type = this.#isTyped ? bytes.toString('latin1', 0, 1) : '';
      this.#isTyped = true;
      messages.push({ type, bytes, sql: sqlOf(type, bytes) });
    }
    return messages;
  }

  #next(): Buffer | undefined {
    const head = this.#isTyped ? 1 : 0;
    if (this.#rest.length < head + 4) return undefined;
    // The length counts itself, but not the letter before it.
    const size = head + this.#rest.readInt32BE(head);
    if (this.#rest.length < size) return undefined;
    const bytes = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return bytes;
  }
}

function sqlOf(type: string, bytes: Buffer): string | undefined {
  if (type !== 'Q' && type !== 'P') return undefined;
  // A parse message names the prepared statement first; ours have no name, so its end is right there.
  const start = type === 'P' ? bytes.indexOf(0, 5) + 1 : 5;
  return bytes.toString('utf8', start, bytes.indexOf(0, start)).trim();
}
