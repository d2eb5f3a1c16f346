import { isUtf8 } from 'node:buffer';

/** UTF-8 with bytes in it that are none. */
export type BrokenUtf8 = {
  /** Each byte that belongs to no character stands in it as a lone surrogate, U+DC80 to U+DCFF. */
  readonly text: string;
  /** Characters of more than one byte. */
  readonly characters: number;
  /** Bytes that belong to no character. */
  readonly broken: number;
};

/** Decodes what can be decoded. */
export function decodeUtf8(bytes: Uint8Array): BrokenUtf8 {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(bytes)) return { text: validUtf8Text(bytes), characters: Infinity, broken: 0 };
  const parts: string[] = [];
  let [characters, broken, from] = [0, 0, 0];
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length > 1) characters++;
    at += length || 1;
    if (length > 0) continue;
    parts.push(buffer.toString('utf8', from, at - 1), String.fromCharCode(0xdc00 + (bytes[at - 1] ?? 0)));
    broken++;
    from = at;
  }
  parts.push(buffer.toString('utf8', from));
  return { text: withoutMark(parts.join('')), characters, broken };
}

/** Decodes bytes that are known to be UTF-8. */
export function validUtf8Text(bytes: Uint8Array): string {
  return withoutMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Bytes of the character that begins there; 0 where none does. Table 3-7 of the Unicode standard. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const [least, most] = SECOND.get(first) ?? [0x80, 0xbf];
  if (second < least || second > most) return 0;
  for (let next = at + 2; next < at + length; next++) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

const SECOND: ReadonlyMap<number, readonly [number, number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);
