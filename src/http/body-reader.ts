import { setImmediate } from 'node:timers/promises';

import { type Charset, type Decoded, decodeBody } from './charset.ts';
import type { PoolResponse } from './connection-pool.ts';
import { decodeContent } from './content-coding.ts';
import type { HttpResponse } from './request.ts';
import { toFailure, type TransportOptions } from './transport.ts';

/** Makes responses readable as text, and keeps in mind what charset the shop's data is in. */
export class BodyReader {
  readonly #setting: string | undefined;
  readonly #transport: TransportOptions;
  #turn: Promise<void> = Promise.resolve();
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  charset: Charset | undefined;

  constructor(setting: string | undefined, transport: TransportOptions) {
    this.#setting = setting;
    this.#transport = transport;
  }

  /**
   * Waits for a turn of the event loop in which no other body is read. Answers come in bunches: if all of a bunch were read
   * at once, with all that their readers do, the shop would have nothing to do meanwhile.
   */
  turn(): Promise<void> {
    return (this.#turn = nextTurn(this.#turn));
  }

  open({ status, headers, bytes }: PoolResponse): HttpResponse {
    let decoded: Decoded | undefined;
    const decode = () => (decoded ??= this.#decode({ status, headers, bytes }));
    return {
      status,
      headers,
      get text() {
        return decode().text;
      },
      get undecodable() {
        return decode().undecodable;
      },
    };
  }

  #decode({ status, headers, bytes }: PoolResponse): Decoded {
    const coding = headers.get('content-encoding');
    try {
      const plain = coding === null ? bytes : decodeContent(bytes, coding, this.#transport.maxBodyBytes);
      const contentType = headers.get('content-type');
      const decoded = decodeBody(plain, { contentType, setting: this.#setting });
      // An error page shows nothing of the charset of the shop's data.
      if (isSuccess(status)) this.charset = decoded.charset ?? this.charset;
      return decoded;
    } catch (error) {
      throw toFailure(error, this.#transport);
    }
  }
}

export const isSuccess = (status: number) => status >= 200 && status <= 299;

async function nextTurn(before: Promise<void>): Promise<void> {
  await before;
  await setImmediate();
}
