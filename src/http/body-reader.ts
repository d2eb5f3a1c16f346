import { setImmediate } from 'node:timers/promises';
import * as zlib from 'node:zlib';

import { type Charset, type Decoded, decodeBody } from './charset.ts';
import type { PoolResponse } from './connection-pool.ts';
import { type ResponseLimits, toFailure } from './network-error.ts';
import type { HttpResponse } from './request.ts';

/** Makes responses readable as text, and keeps in mind what charset the shop's data is in. */
export class BodyReader {
  readonly #setting: string | undefined;
  readonly #limits: ResponseLimits;
  #turn: Promise<void> = Promise.resolve();
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  charset: Charset | undefined;

  /** @param setting the shop's charset as configured */
  constructor(setting: string | undefined, limits: ResponseLimits) {
    this.#setting = setting;
    this.#limits = limits;
  }

  /**
   * Waits for a turn of the event loop in which no other body is read. Answers come in bunches: if all of a bunch were read
   * at once, with all that their readers do, the shop would have nothing to do meanwhile.
   */
  turn(): Promise<void> {
    return (this.#turn = this.#turn.then(() => setImmediate()));
  }

  open(response: PoolResponse): HttpResponse {
    const { status, headers } = response;
    let decoded: Decoded | undefined;
    const decode = () => (decoded ??= this.#decode(response));
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
    try {
      const coding = headers.get('content-encoding')?.toLowerCase() ?? '';
      const plain = UNPACK[coding]?.(bytes, this.#limits.maxBodyBytes) ?? bytes;
      const decoded = decodeBody(plain, { contentType: headers.get('content-type'), setting: this.#setting });
      // An error page shows nothing of the charset of the shop's data.
      if (status >= 200 && status <= 299) this.charset = decoded.charset ?? this.charset;
      return decoded;
    } catch (error) {
      throw toFailure(error, this.#limits);
    }
  }
}

/** The content codings that this client can undo, as a request says it. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

type Unpack = (bytes: Uint8Array, maxOutputLength: number) => Uint8Array;

// As browsers do, a stream without its end is accepted: whether JSON was truncated shows in the JSON.
const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH: finishFlush } = zlib.constants;
const unzip: Unpack = (bytes, maxOutputLength) => zlib.unzipSync(bytes, { finishFlush, maxOutputLength });
const inflateRaw: Unpack = (bytes, maxOutputLength) =>
  zlib.inflateRawSync(bytes, { finishFlush, maxOutputLength });

/**
 * Undoes a coding, in this thread and when the body is read: undici's decompression would keep a connection busy meanwhile, and
 * handing a small body to another thread takes twice as long as unpacking it.
 */
const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: unzip,
  'x-gzip': unzip,
  // Both forms are in use: the documented one begins with a header whose lower half is 8.
  deflate: (bytes, most) => (((bytes[0] ?? 0) & 0x0f) === 8 ? unzip : inflateRaw)(bytes, most),
  br: (bytes, maxOutputLength) =>
    zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength }),
};
