/** Bodies without the coding that they were sent in. */
import * as zlib from 'node:zlib';

/** What this client can decode, as a request says it. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * Undoes the coding of a body, in this thread and when it is read: undici's decompression would keep a connection busy
 * meanwhile, and handing a small body to another thread takes twice as long as decoding it. A body in a coding that is
 * not known is left as it is. As browsers do, a stream without its end is accepted: whether JSON was truncated shows in the
 * JSON.
 *
 * @throws what zlib throws for a body that is not in its coding; a RangeError for one larger than `maxBytes` without it
 */
export function decodeContent(bytes: Uint8Array, coding: string, maxBytes: number): Uint8Array {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  const options = { finishFlush: Z_SYNC_FLUSH, maxOutputLength: maxBytes };
  switch (coding.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.unzipSync(bytes, options);
    case 'deflate':
      // Both forms are in use: the documented one begins with a header whose lower half is 8.
      return ((bytes[0] ?? 0) & 0x0f) === 8
        ? zlib.inflateSync(bytes, options)
        : zlib.inflateRawSync(bytes, options);
    case 'br':
      return zlib.brotliDecompressSync(bytes, { ...options, finishFlush: BROTLI_OPERATION_FLUSH });
    default:
      return bytes;
  }
}
