import { isRefused, spellBroken, withoutBroken } from '../../model/broken-text.ts';
import type { JsonValue } from '../../model/json.ts';

/** Columns of what the shop sent, of which nothing is removed. */
const WHOLE_COLUMNS: ReadonlySet<string> = new Set(['payload', 'rest', 'content_rest']);

/**
 * JSON text of rows as PostgreSQL accepts it; the digits of raw numbers are kept. NUL characters, which PostgreSQL refuses, are removed,
 * and lone surrogates replaced by question marks; in columns of what the shop sent both are escaped for {@link restoreText}.
 */
export function jsonText(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  // A false hit only costs a second pass.
  if (!isRefused(text) && !text.includes(MARK)) return text;
  const storableRow = (row: object) =>
    Object.entries(row).map(([column, value]: [string, unknown]) => {
      return [column, storable(value, WHOLE_COLUMNS.has(column) ? withEscapedNul : withoutNul)] as const;
    });
  return JSON.stringify(rows.map((row) => Object.fromEntries(storableRow(row))));
}

/** A value of a column of what the shop sent, as it is stored there. */
export const storableJson = (value: JsonValue) => storable(value, withEscapedNul);

/** Undoes the escapes of what the shop sent; the result is for `JSON.parse`. */
export function restoreText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(ESCAPED, (_, mark: string) => {
    if (mark === MARK) return MARK;
    return mark === '0' ? '\\u0000' : `\\u${mark}`;
  });
}

/** A noncharacter, which Unicode reserves for internal use: no shop sends it. */
const MARK = '\uFDD0';
const ESCAPED = /\uFDD0([0\uFDD0]|d[89a-f][0-9a-f]{2})/g;

function storable(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((part: unknown) => storable(part, clean));
  // Raw numbers and times are not plain objects.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) => [clean(key), storable(part, clean)]),
  );
}

function withoutNul(text: string): string {
  return withoutBroken(text.replaceAll('\0', ''));
}

function withEscapedNul(text: string): string {
  const escaped = text.replaceAll(MARK, MARK + MARK).replaceAll('\0', `${MARK}0`);
  return spellBroken(escaped, (digits) => MARK + digits);
}
