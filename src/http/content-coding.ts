/** Bodies without the codings that they were sent in. */
import * as zlib from 'node:zlib';

/** What this client can decode, as a request says it. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';
/** Nobody needs more; each one multiplies the work. */
const MAX_CODINGS = 5;

/**
 * Undoes the codings of a body, in this thread and when it is read: undici's decompression would keep a connection busy
 * meanwhile, and handing a small body to another thread takes twice as long as decoding it. A body in a coding that is
 * not known is left as it is.
 *
 * @throws what zlib throws for a body that is not in its coding; a RangeError for one larger than `maxBytes` without it
 */
export function decodeContent(bytes: Uint8Array, contentEncoding: string, maxBytes: number): Uint8Array {
  const codings = contentEncoding.toLowerCase().split(',', MAX_CODINGS + 1);
  if (codings.length > MAX_CODINGS) throw new Error('too many content codings');
  let decoded: Uint8Array | undefined = bytes;
  for (const coding of codings.toReversed()) {
    decoded = undo(coding.trim(), decoded, maxBytes);
    if (decoded === undefined) return bytes;
  }
  return decoded;
}

/** As browsers do, accepts a stream without its end: whether JSON was truncated shows in the JSON. */
function undo(coding: string, bytes: Uint8Array, maxOutputLength: number): Uint8Array | undefined {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  if (coding === 'br') {
    return zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength });
  }
  if (!/^(x-)?gzip$|^deflate$/.test(coding)) return undefined;
  // Both forms of deflate are in use: the documented one begins with a header whose lower half is 8.
  const isRaw = coding === 'deflate' && ((bytes[0] ?? 0) & 0x0f) !== 8;
  const decode = isRaw ? zlib.inflateRawSync : zlib.unzipSync;
  return decode(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength });
}
