/** Bodies as text. A byte that belongs to no character becomes a lone surrogate, so that one bad text spoils no other. */
import { isAscii, isUtf8 } from 'node:buffer';
import { constants, gunzipSync } from 'node:zlib';

/** The charset of the shop's responses, and how it was recognized. */
export type Charset = {
  /** As `TextDecoder` names it: `utf-8`, `windows-1251`. */
  readonly name: string;
  readonly by: 'header' | 'bytes' | 'setting';
};

export type Decoded = {
  /** Where it could not be decoded, one character per byte, and not to be stored. */
  readonly text: string;
  /** Undefined for plain ASCII, which fits any charset, and where it is not known. */
  readonly charset: Charset | undefined;
  /** Why it could not be decoded, and what to do. */
  readonly undecodable: string | undefined;
};

export type CharsetHints = {
  /** The response's `Content-Type` header. */
  readonly contentType: string | null;
  /** The shop's charset as configured: a label that `TextDecoder` knows. */
  readonly setting: string | undefined;
};

/** So few broken bytes are a fault of one text, not another charset; so is one among so many characters beyond ASCII. */
const FEW = 3;
const CHARACTERS_PER_BROKEN = 10;

/** Decodes a body: as UTF-8 where it is; by the charset of the header; by the shop's setting. Nothing is guessed. */
export function decodeBody(bytes: Uint8Array, { contentType, setting }: CharsetHints): Decoded {
  if (isAscii(bytes)) return { text: byteText(bytes), charset: undefined, undecodable: undefined };
  const named = encodingOf(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]);
  const utf8 = { name: 'utf-8', by: named === 'utf-8' ? 'header' : 'bytes' } as const;
  if (isUtf8(bytes)) return decoded(bytes, utf8);
  if (named !== undefined && named !== 'utf-8') return decoded(bytes, { name: named, by: 'header' });
  const set = encodingOf(setting);
  if (set !== undefined && set !== 'utf-8') return decoded(bytes, { name: set, by: 'setting' });
  const mended = decoded(bytes, utf8);
  const broken = mended.text.split(BROKEN).length - 1;
  const characters = mended.text.replaceAll(ASCII, '').length - broken;
  if (set === 'utf-8' || broken <= Math.max(FEW, characters / CHARACTERS_PER_BROKEN)) return mended;
  const claim = named === 'utf-8' ? 'claims to be UTF-8 but is not' : 'is not UTF-8 and names no charset';
  const undecodable = `the response ${claim}; set SHOP_CHARSET (charset in the shops file) to the shop's charset, such as windows-1251`;
  return { text: byteText(bytes), charset: undefined, undecodable };
}

/** One character per byte. */
const byteText = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

const ASCII = /[\0-\x7f]+/g; // oxlint-disable-line no-control-regex -- all of it
const BROKEN = '\uDCFF';

function decoded(bytes: Uint8Array, charset: Charset): Decoded {
  // The replacement character is the decoder's: hardly a shop writes it itself.
  const text = new TextDecoder(charset.name).decode(bytes).replaceAll('\uFFFD', BROKEN);
  return { text, charset, undecodable: undefined };
}

/** @returns the name of a charset by any of its labels; undefined where there is no such charset */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Unpacks gzip, the only coding that is requested, whatever the headers say, and twice if the body was packed twice. This happens in
 * this thread and when the body is read: undici's own decompression would keep the connection busy meanwhile, and passing a small body
 * to another thread takes twice as long as unpacking it. As in browsers, a stream may be cut at its end: parsing the JSON shows that.
 *
 * @throws zlib's errors; RangeError with ERR_BUFFER_TOO_LARGE where it is larger than that
 */
export function unpack(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  let body = bytes;
  for (let times = 0; times < 2 && body[0] === 0x1f && body[1] === 0x8b; times++)
    body = gunzipSync(body, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  return body;
}
