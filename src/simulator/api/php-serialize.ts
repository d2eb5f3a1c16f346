/** The text that PHP's `serialize()` makes of strings, whole numbers and nested maps. */

export type PhpValue = string | number | { readonly [key: string]: PhpValue };

/** How long a string is said to be: PHP counts bytes; a shop that changed its encoding later has other counts. */
export type LengthUnit = 'bytes' | 'characters';

export function phpSerialize(value: PhpValue, unit: LengthUnit): string {
  if (typeof value === 'number') return `i:${value};`;
  if (typeof value === 'string') return `s:${lengthOf(value, unit)}:"${value}";`;
  const entries = Object.entries(value);
  const items = entries.map(([key, item]) => phpSerialize(key, unit) + phpSerialize(item, unit));
  return `a:${entries.length}:{${items.join('')}}`;
}

function lengthOf(text: string, unit: LengthUnit): number {
  return unit === 'bytes' ? Buffer.byteLength(text) : Array.from(text).length;
}
