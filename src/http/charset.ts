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
  /** Other responses of the shop were valid UTF-8 beyond ASCII. */
  readonly isKnownUtf8: boolean;
};

/** Charsets of several bytes per character; what is valid in UTF-8 may be valid in them too. */
const MULTI_BYTE =
  /^(utf-16(le|be)|gb18030|gbk|big5|euc-(jp|kr)|shift_jis|iso-2022-jp|replacement|x-user-defined)$/;
/** Charsets in which bytes below 128 are not always ASCII. */
const NOT_ASCII = /^(utf-16(le|be)|iso-2022-jp|replacement)$/;
/** So few broken bytes are a fault of one text, not another charset; so is one among so many characters beyond ASCII. */
const [FEW, CHARACTERS_PER_BROKEN] = [3, 10];

/**
 * Decodes a body: by its byte order mark; by the charset of the header, unless that names a single-byte charset for what
 * is UTF-8; as UTF-8 where it is; by the shop's setting. Nothing is guessed beyond that.
 */
export function decodeBody(bytes: Uint8Array, { contentType, setting, isKnownUtf8 }: CharsetHints): Decoded {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return decoded(bytes, marked, 'byte order mark');
  const named = findEncoding(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]);
  const isNamed = named !== undefined && named !== 'utf-8';
  if (isNamed && NOT_ASCII.test(named)) return decoded(bytes, named, 'header');
  if (isAscii(bytes)) return { text: latin1Text(bytes), charset: undefined, undecodable: undefined };
  if (isNamed && MULTI_BYTE.test(named)) return decoded(bytes, named, 'header');
  const byUtf8 = named === 'utf-8' ? 'header' : 'bytes';
  if (isUtf8(bytes)) {
    const text = new TextDecoder().decode(bytes);
    return { text, charset: { name: 'utf-8', by: byUtf8 }, undecodable: undefined };
  }
  if (isNamed) return decoded(bytes, named, 'header');
  const encoding = findEncoding(setting);
  const utf8 = decoded(bytes, 'utf-8', byUtf8);
  const characters = utf8.text.match(BEYOND_ASCII)?.length ?? 0;
  const broken = utf8.text.match(BROKEN)?.length ?? 0;
  if (broken * CHARACTERS_PER_BROKEN <= characters - broken) return utf8;
  if (encoding !== undefined && encoding !== 'utf-8') return decoded(bytes, encoding, 'setting');
  if (encoding === 'utf-8' || isKnownUtf8 || broken <= FEW) return { ...utf8, charset: undefined };
  return { text: latin1Text(bytes), charset: undefined, undecodable: describe(bytes, named) };
}

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
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding;
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
