/**
 * Serialized text as a sequence of units, since `serialize()` counts bytes and a transcoded text counts
 * characters.
 */

export type PhpSource = {
  /** In units. */
  readonly length: number;
  /** The unit at that position as one character: ASCII units are themselves. */
  readonly at: (position: number) => string | undefined;
  /** The text of a span; undefined when it would cut a character in two. */
  readonly text: (from: number, to: number) => string | undefined;
};

/** One unit per byte of UTF-8: as PHP writes it. */
export function byteSource(text: string): PhpSource {
  const bytes = Buffer.from(text, 'utf8');
  const isInside = (position: number) => ((bytes[position] ?? 0) & 0xc0) === 0x80;
  return {
    length: bytes.length,
    at: (position) => (position < bytes.length ? String.fromCharCode(bytes[position] ?? 0) : undefined),
    text: (from, to) => (isInside(from) || isInside(to) ? undefined : bytes.toString('utf8', from, to)),
  };
}

/** One unit per character: what is left when text in a one-byte encoding is turned into UTF-8 afterwards. */
export function characterSource(text: string): PhpSource {
  const characters = Array.from(text);
  return {
    length: characters.length,
    at: (position) => characters[position],
    text: (from, to) => characters.slice(from, to).join(''),
  };
}
