/** Bodies as text. A byte that belongs to no character becomes a lone surrogate, so that one bad text spoils no other. */
import { isAscii, isUtf8 } from 'node:buffer';

/** The charset of the shop's responses, and how it was recognized. */
export type Charset = {
  /** As `TextDecoder` names it: `utf-8`, `windows-1251`. */
  readonly name: string;
  readonly by: 'byte order mark' | 'header' | 'bytes' | 'setting';
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

/** Charsets of several bytes per character; what is valid in UTF-8, or ASCII, may be something else in them. */
const MULTI_BYTE =
  /^(utf-16(le|be)|gb18030|gbk|big5|euc-(jp|kr)|shift_jis|iso-2022-jp|replacement|x-user-defined)$/;
/** So few broken bytes are a fault of one text, not another charset; so is one among so many characters beyond ASCII. */
const FEW = 3;
const CHARACTERS_PER_BROKEN = 10;

/**
 * Decodes a body: by its byte order mark; by the charset of the header, unless that names a single-byte charset for what
 * is UTF-8; as UTF-8 where it is; by the shop's setting. Nothing is guessed beyond that.
 */
export function decodeBody(bytes: Uint8Array, { contentType, setting }: CharsetHints): Decoded {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return decoded(bytes, marked, 'byte order mark');
  const named = findEncoding(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]);
  if (named !== undefined && MULTI_BYTE.test(named)) return decoded(bytes, named, 'header');
  if (isAscii(bytes)) return { text: latin1Text(bytes), charset: undefined, undecodable: undefined };
  const byUtf8 = named === 'utf-8' ? 'header' : 'bytes';
  if (isUtf8(bytes)) {
    return { text: UTF8.decode(bytes), charset: { name: 'utf-8', by: byUtf8 }, undecodable: undefined };
  }
  if (named !== undefined && named !== 'utf-8') return decoded(bytes, named, 'header');
  const utf8 = decoded(bytes, 'utf-8', byUtf8);
  const characters = utf8.text.match(BEYOND_ASCII)?.length ?? 0;
  const broken = utf8.text.match(BROKEN)?.length ?? 0;
  if (broken * CHARACTERS_PER_BROKEN <= characters - broken) return utf8;
  const set = findEncoding(setting);
  if (set !== undefined && set !== 'utf-8') return decoded(bytes, set, 'setting');
  if (set === 'utf-8' || broken <= FEW) return { ...utf8, charset: undefined };
  return { text: latin1Text(bytes), charset: undefined, undecodable: describe(bytes, named) };
}

const UTF8 = new TextDecoder();
// oxlint-disable-next-line no-control-regex -- all that is no ASCII
const BEYOND_ASCII = /[^\0-\x7f]/gu;
const BROKEN = /\uDCFF/gu;

function decoded(bytes: Uint8Array, name: string, by: Charset['by']): Decoded {
  // The replacement character is the decoder's: hardly a shop writes it itself.
  const text = new TextDecoder(name).decode(bytes).replaceAll('\uFFFD', '\uDCFF');
  return { text, charset: { name, by }, undecodable: undefined };
}

/** @returns the name of a charset by any of its labels; undefined where there is no such charset */
function findEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    // Nearly every response names it.
    return /^utf-8$/i.test(label) ? 'utf-8' : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function describe(bytes: Uint8Array, named: string | undefined): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return 'the response is compressed by gzip twice, or without saying so in Content-Encoding';
  }
  const claim = named === 'utf-8' ? 'claims to be UTF-8 but is not' : 'is not UTF-8 and names no charset';
  return `the response ${claim}; set SHOP_CHARSET (charset in the shops file) to the shop's charset${guess(bytes)}`;
}

/** The Russian charset that the bytes look like: small letters are the most of any text. */
function guess(bytes: Uint8Array): string {
  const high = bytes.filter((byte) => byte >= 0x80);
  const share = (from: number, to: number) =>
    high.filter((byte) => byte >= from && byte <= to).length / high.length;
  if (share(0xc0, 0xff) < 0.7) return '';
  return `: it looks like ${share(0xe0, 0xff) >= share(0xc0, 0xdf) ? 'windows-1251' : 'koi8-r'}`;
}

/** A text of the same length, for looking at what cannot be decoded. */
const latin1Text = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
