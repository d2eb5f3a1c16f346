import { setImmediate } from 'node:timers/promises';

import { type Charset, decodeBody } from './charset.ts';
import type { PoolResponse } from './connection-pool.ts';
import { decodeContent } from './content-coding.ts';
import type { HttpResponse } from './request.ts';

/**
 * Reads bodies as text, one in each turn of the event loop, and keeps in mind what charset the shop's data is in. Answers
 * come in bunches: if all of a bunch were read at once, with all that their readers do, the shop would have nothing to do
 * meanwhile.
 */
export class BodyReader {
  readonly #setting: string | undefined;
  readonly #maxBodyBytes: number;
  #turn: Promise<void> = Promise.resolve();
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  charset: Charset | undefined;

  constructor(setting: string | undefined, maxBodyBytes: number) {
    this.#setting = setting;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** @throws what zlib throws for a body that is not in its coding; a RangeError for one that is too large without it */
  async read({ status, headers, bytes }: PoolResponse): Promise<HttpResponse> {
    await (this.#turn = nextTurn(this.#turn));
    const coding = headers.get('content-encoding');
    const { text, charset, undecodable } = decodeBody(
      coding === null ? bytes : decodeContent(bytes, coding, this.#maxBodyBytes),
      {
        contentType: headers.get('content-type'),
        setting: this.#setting,
        isKnownUtf8: this.charset?.name === 'utf-8',
      },
    );
    // An error page shows nothing of the charset of the shop's data.
    if (status >= 200 && status <= 299) this.charset = charset ?? this.charset;
    return { status, headers, text, undecodable };
  }
}

/** undici takes two turns to send the next request on a connection. */
async function nextTurn(before: Promise<void>): Promise<void> {
  await before;
  await setImmediate();
  await setImmediate();
}
