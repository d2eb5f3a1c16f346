import type { Dialect } from '../shop/dialect.ts';

const UNKNOWN = '?'.charCodeAt(0);
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const CODES: ReadonlyMap<string, number> = new Map(
  Array.from(new TextDecoder('windows-1251').decode(BYTES), (character, byte) => [character, byte]),
);

/** Text as bytes. A character that windows-1251 lacks becomes a question mark there. */
export function encodeText(text: string, charset: Dialect['charset']): Uint8Array<ArrayBuffer> {
  if (charset === 'utf-8') return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => CODES.get(character) ?? UNKNOWN);
}
