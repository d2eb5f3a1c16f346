/** The text that PHP's `serialize()` makes of strings, whole numbers and nested maps. */

export type PhpValue = string | number | { readonly [key: string]: PhpValue };

/** @param unit of string lengths: PHP counts bytes; a shop that was transcoded later has other counts */
export function phpSerialize(value: PhpValue, unit: 'bytes' | 'characters'): string {
  if (typeof value === 'number') return `i:${value};`;
  if (typeof value === 'string') {
    const length = unit === 'bytes' ? Buffer.byteLength(value) : Array.from(value).length;
    return `s:${length}:"${value}";`;
  }
  const entries = Object.entries(value);
  const items = entries.map(([key, item]) => phpSerialize(key, unit) + phpSerialize(item, unit));
  return `a:${entries.length}:{${items.join('')}}`;
}
