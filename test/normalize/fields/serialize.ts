/** Writes PHP's `serialize()` format, with string lengths counted as the caller says. */

export type Serializable =
  | string
  | number
  | boolean
  | null
  | readonly Serializable[]
  | { readonly [key: string]: Serializable };

export type LengthOf = (text: string) => number;

export const inBytes: LengthOf = (text) => Buffer.byteLength(text);
export const inCharacters: LengthOf = (text) => Array.from(text).length;

export function serialize(value: Serializable, lengthOf: LengthOf): string {
  if (value === null) return 'N;';
  if (typeof value === 'boolean') return `b:${Number(value)};`;
  if (typeof value === 'number') return `${Number.isInteger(value) ? 'i' : 'd'}:${value};`;
  if (typeof value === 'string') return `s:${lengthOf(value)}:"${value}";`;
  const entries = Object.entries(value).map(([key, entry]) => {
    const isIndex = /^(?:0|-?[1-9]\d{0,8})$/.test(key);
    return (isIndex ? `i:${key};` : serialize(key, lengthOf)) + serialize(entry, lengthOf);
  });
  return `a:${entries.length}:{${entries.join('')}}`;
}
