/** Text as bytes, also in the encoding that is usual on this platform. */
import type { Dialect } from './dialect.ts';

const UNKNOWN = '?'.charCodeAt(0);
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const CODES: ReadonlyMap<string, number> = new Map(
  Array.from(new TextDecoder('windows-1251').decode(BYTES), (character, byte) => [character, byte]),
);

/** The value of `Content-Type` for JSON. */
export function jsonType(charset: Dialect['charset']): string {
  return charset === 'windows-1251-unlabelled' ? 'application/json' : `application/json; charset=${charset}`;
}

/** In windows-1251 a character that has no byte there becomes a question mark. */
export function encodeText(text: string, charset: Dialect['charset']): Uint8Array<ArrayBuffer> {
  if (charset === 'utf-8') return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => CODES.get(character) ?? UNKNOWN);
}
