/** Bodies as text. A byte that belongs to no character is kept as a lone surrogate, so that one bad text spoils no other. */
import { isAscii, isUtf8 } from 'node:buffer';

import type { HttpResponse } from './request.ts';

/** The charset of the shop's responses, and how it was recognized. */
export type Charset = {
  /** As `TextDecoder` names it: `utf-8`, `windows-1251`. */
  readonly name: string;
  readonly by: 'byte order mark' | 'header' | 'bytes' | 'setting';
};

export type Decoded =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Undefined for plain ASCII, which fits any charset. */
      readonly charset: Charset | undefined;
    }
  /** @param problem a sentence that says what to do */
  | { readonly kind: 'undecodable'; readonly problem: string };

export type CharsetHints = {
  /** The response's `Content-Type` header. */
  readonly contentType: string | null;
  /** The shop's charset as configured: a label that `TextDecoder` knows. */
  readonly setting: string | undefined;
  /** Other responses of the shop were valid UTF-8 beyond ASCII. */
  readonly isKnownUtf8: boolean;
};

/** Reads bodies as text, and keeps in mind what charset the shop's data is in. */
export class BodyDecoder {
  readonly #setting: string | undefined;
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  charset: Charset | undefined;

  constructor(setting: string | undefined) {
    this.#setting = setting;
  }

  async decode(response: Response): Promise<HttpResponse> {
    const { status, headers } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isKnownUtf8 = this.charset?.name === 'utf-8';
    const hints = { contentType: headers.get('content-type'), setting: this.#setting, isKnownUtf8 };
    const decoded = decodeBody(bytes, hints);
    if (decoded.kind === 'undecodable') {
      return { status, headers, text: latin1Text(bytes), undecodable: decoded.problem };
    }
    // An error page shows nothing of the charset of the shop's data.
    if (response.ok) this.charset = decoded.charset ?? this.charset;
    return { status, headers, text: decoded.text, undecodable: undefined };
  }
}

/** Charsets of several bytes per character; what is valid in UTF-8 may be valid in them too. */
const MULTI_BYTE =
  /^(utf-16(le|be)|gb18030|gbk|big5|euc-(jp|kr)|shift_jis|iso-2022-jp|replacement|x-user-defined)$/;
/** Charsets in which bytes below 128 are not always ASCII. */
const NOT_ASCII = /^(utf-16(le|be)|iso-2022-jp|replacement)$/;

/**
 * Decodes a body: by its byte order mark; by the charset of the header, unless that names a single-byte charset for what
 * is UTF-8; as UTF-8 where it is; by the shop's setting. Nothing is guessed beyond that.
 */
export function decodeBody(bytes: Uint8Array, hints: CharsetHints): Decoded {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return decoded(bytes, { name: marked, by: 'byte order mark' });
  const named = headerCharset(hints.contentType);
  if (named !== undefined && NOT_ASCII.test(named)) return decoded(bytes, { name: named, by: 'header' });
  const foreign = foreignFormat(bytes);
  if (foreign !== undefined) return { kind: 'undecodable', problem: foreign };
  if (isAscii(bytes)) return { kind: 'text', text: latin1Text(bytes), charset: undefined };
  if (named !== undefined && MULTI_BYTE.test(named)) return decoded(bytes, { name: named, by: 'header' });
  if (isUtf8(bytes)) {
    const charset = { name: 'utf-8', by: named === 'utf-8' ? 'header' : 'bytes' } as const;
    return { kind: 'text', text: validUtf8Text(bytes), charset };
  }
  if (named !== undefined && named !== 'utf-8') return decoded(bytes, { name: named, by: 'header' });
  return decodeInvalid(bytes, hints, named);
}

/** Bytes that are not valid UTF-8, and no other charset is named: a few broken ones, or a charset that nobody named. */
function decodeInvalid(bytes: Uint8Array, hints: CharsetHints, named: string | undefined): Decoded {
  const { text, characters, broken } = decodeUtf8(bytes);
  const isUtf8ButFor = broken * 10 <= characters;
  const setting = hints.setting === undefined ? undefined : findEncoding(hints.setting);
  if (!isUtf8ButFor && setting !== undefined && setting !== 'utf-8') {
    return decoded(bytes, { name: setting, by: 'setting' });
  }
  const isOfOneText = broken <= FEW || brokenStrings(text) <= 1;
  if (isUtf8ButFor || hints.isKnownUtf8 || setting === 'utf-8' || isOfOneText) {
    const by = named === 'utf-8' ? 'header' : 'bytes';
    return { kind: 'text', text, charset: isUtf8ButFor ? { name: 'utf-8', by } : undefined };
  }
  const claim = named === 'utf-8' ? 'claims to be UTF-8 but is not' : 'is not UTF-8 and names no charset';
  return {
    kind: 'undecodable',
    problem: `the response ${claim}; set SHOP_CHARSET (charset in the shops file) to the shop's charset${guess(bytes)}`,
  };
}

/** So few broken bytes are a fault of one text, not another charset. */
const FEW = 3;

/** Of the strings of JSON, how many hold a broken byte. */
function brokenStrings(text: string): number {
  return text.split('"').filter((string) => !string.isWellFormed()).length;
}

/** @returns the name of a charset by any of its labels; undefined where there is no such charset */
function findEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function headerCharset(contentType: string | null): string | undefined {
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  return label === undefined ? undefined : findEncoding(label);
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function decoded(bytes: Uint8Array, charset: Charset): Decoded {
  if (charset.name === 'utf-8') return { kind: 'text', text: decodeUtf8(bytes).text, charset };
  // No character of these charsets is the replacement character itself.
  const text = new TextDecoder(charset.name).decode(bytes).replaceAll('\uFFFD', '\uDCFF');
  return { kind: 'text', text, charset };
}

/** What is no text at all, or text of a form that JSON is not sent in. */
function foreignFormat(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) {
    return 'the response is compressed by gzip twice, or without saying so in Content-Encoding';
  }
  const begin = latin1Text(bytes.subarray(0, SAMPLE));
  // A text may hold a few by mistake, and NUL bytes at its end.
  const sample = /^[^]*[^\0]/.exec(begin)?.[0] ?? begin;
  if ((sample.match(CONTROL)?.length ?? 0) * 20 <= sample.length) return undefined;
  if (bytes.length > 1 && (first === 0) !== (second === 0)) {
    return 'the response is UTF-16, but neither Content-Type nor a byte order mark says so';
  }
  return 'the response is binary data, not text';
}

/** Control characters, but for those that JSON may hold between its values. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\0-\x08\v\f\x0e-\x1f]/g;
const SAMPLE = 1024;

/** The Russian charset that the bytes look like: small letters are the most of any text. */
function guess(bytes: Uint8Array): string {
  const high = bytes.filter((byte) => byte >= 0x80);
  const share = (from: number, to: number) =>
    high.filter((byte) => byte >= from && byte <= to).length / high.length;
  if (share(0xc0, 0xff) < 0.7) return '';
  return `: it looks like ${share(0xe0, 0xff) >= share(0xc0, 0xdf) ? 'windows-1251' : 'koi8-r'}`;
}

/** Runs of UTF-8 beyond ASCII, by table 3-7 of the Unicode standard; or a byte that belongs to no character. */
const BEYOND_ASCII =
  /((?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}){1,1000})|[\x80-\xff]/g;

/**
 * Decodes what can be decoded.
 *
 * @returns text: each byte that belongs to no character stands in it as a lone surrogate, U+DC80 to U+DCFF; characters:
 *   those of more than one byte; broken: bytes that belong to no character
 */
export function decodeUtf8(bytes: Uint8Array) {
  let [characters, broken] = [0, 0];
  const text = latin1Text(bytes).replace(BEYOND_ASCII, (part, run: string | undefined) => {
    if (run === undefined) {
      broken++;
      return String.fromCharCode(0xdc00 + part.charCodeAt(0));
    }
    const decoded = Buffer.from(run, 'latin1').toString();
    characters += Array.from(decoded).length;
    return decoded;
  });
  return { text: withoutMark(text), characters, broken };
}

/** Decodes bytes that are known to be UTF-8. */
function validUtf8Text(bytes: Uint8Array): string {
  return withoutMark(toBuffer(bytes).toString());
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** A text of the same length, for looking at what cannot be decoded. */
function latin1Text(bytes: Uint8Array): string {
  return toBuffer(bytes).toString('latin1');
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);
