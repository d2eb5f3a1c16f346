import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** What this client can decode. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

type Decode = (bytes: Uint8Array, options: zlib.ZlibOptions & zlib.BrotliOptions) => Uint8Array;
type Codec = {
  readonly sync: Decode;
  readonly async: (...args: Parameters<Decode>) => Promise<Uint8Array>;
};

const GZIP: Codec = { sync: zlib.gunzipSync, async: promisify(zlib.gunzip) };
const ZLIB: Codec = { sync: zlib.inflateSync, async: promisify(zlib.inflate) };
const RAW_DEFLATE: Codec = { sync: zlib.inflateRawSync, async: promisify(zlib.inflateRaw) };
const BROTLI: Codec = { sync: zlib.brotliDecompressSync, async: promisify(zlib.brotliDecompress) };

/** As browsers do, accept a stream without its end: whether JSON was truncated shows in the JSON. */
const LENIENT = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

/** Smaller bodies are decoded at once: handing them to another thread would cost more. */
const SMALL_BYTES = 16 * 1024;
/** Nobody needs more; each one multiplies the work. */
const MAX_CODINGS = 5;

/**
 * Undoes the codings of a body. A body in a coding that is not known is left as it is.
 *
 * @param contentEncoding the header of that name
 * @param maxBytes of the decoded body
 * @returns undefined where it would be larger
 * @throws what zlib throws for a body that is not in its coding
 */
export async function decodeContent(
  bytes: Uint8Array,
  contentEncoding: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .slice(0, MAX_CODINGS + 1);
  if (codings.length > MAX_CODINGS) throw new RangeError('too many content codings');
  let decoded = bytes;
  try {
    for (const coding of codings.toReversed()) {
      const codec = findCodec(coding.trim(), decoded);
      if (codec === undefined) return bytes;
      const flush = codec === BROTLI ? LENIENT_BROTLI : LENIENT;
      const options = { ...flush, maxOutputLength: maxBytes };
      if (decoded.byteLength === 0) return decoded;
      const isSmall = decoded.byteLength <= SMALL_BYTES;
      decoded = isSmall ? codec.sync(decoded, options) : await codec.async(decoded, options);
    }
    return decoded;
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      return undefined;
    }
    throw error;
  }
}

function findCodec(coding: string, [first = 0]: Uint8Array): Codec | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return GZIP;
  if (coding === 'br') return BROTLI;
  // Of "deflate", both forms are in use: the documented one begins with a header whose lower half is 8.
  if (coding === 'deflate') return (first & 0x0f) === 8 ? ZLIB : RAW_DEFLATE;
  return undefined;
}
