import * as zlib from 'node:zlib';

/** What this client can decode. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Nobody needs more; each one multiplies the work. */
const MAX_CODINGS = 5;

/** As browsers do, accept a stream without its end: whether JSON was truncated shows in the JSON. */
const LENIENT = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

type Bytes = Uint8Array<ArrayBuffer>;
type Decode = (bytes: Bytes, maxOutputLength: number) => Bytes;

const ungzip: Decode = (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { ...LENIENT, maxOutputLength });
/** Both forms are in use: the documented one begins with a header whose lower half is 8. */
const inflate: Decode = (bytes, maxOutputLength) => {
  const decode = ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync : zlib.inflateRawSync;
  return decode(bytes, { ...LENIENT, maxOutputLength });
};
const unbrotli: Decode = (bytes, maxOutputLength) =>
  zlib.brotliDecompressSync(bytes, { ...LENIENT_BROTLI, maxOutputLength });

const DECODERS = new Map([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ['deflate', inflate],
  ['br', unbrotli],
]);

/**
 * Undoes the codings of a body, in this thread: parsing it takes as long, and handing it to another one twice that. A body in a coding that is not known
 * is left as it is.
 *
 * @param contentEncoding the header of that name
 * @param maxBytes of the decoded body
 * @returns undefined where it would be larger
 * @throws what zlib throws for a body that is not in its coding
 */
export function decodeContent(bytes: Bytes, contentEncoding: string, maxBytes: number): Bytes | undefined {
  const codings = contentEncoding.toLowerCase().split(',', MAX_CODINGS + 1);
  if (codings.length > MAX_CODINGS) throw new RangeError('too many content codings');
  let decoded = bytes;
  for (const coding of codings.toReversed()) {
    const decode = DECODERS.get(coding.trim());
    if (decode === undefined) return bytes;
    if (decoded.byteLength === 0) return decoded;
    try {
      decoded = decode(decoded, maxBytes);
    } catch (error) {
      if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
        return undefined;
      throw error;
    }
  }
  return decoded;
}
