import { spellBroken, withoutBroken } from '../../model/broken-text.ts';
import { type JsonValue, parseJson } from '../../model/json.ts';

/**
 * JSON text of rows as PostgreSQL accepts it; the digits of raw numbers are kept.
 *
 * @param nul whether NUL and lone surrogates, which PostgreSQL refuses, are removed and replaced by question marks, or
 * escaped for {@link restoreText}
 */
export function jsonText(rows: unknown, nul: 'removed' | 'escaped' = 'removed'): string {
  const text = JSON.stringify(rows);
  const storable = nul === 'removed' ? withoutNul : withEscapedNul;
  // `JSON.stringify` escapes both. A false hit on an escaped backslash only costs a second pass.
  const isRefused = /\\u0000|\\ud[89a-f]/i.test(text) || (nul === 'escaped' && text.includes(MARK));
  return isRefused ? JSON.stringify(rows, replacer(storable)) : text;
}

/** A value of which `jsonText` removes nothing: what PostgreSQL refuses is escaped for {@link restoreText}. */
export function storableJson(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  const escaped = jsonText(value, 'escaped');
  return text === escaped ? value : parseJson(escaped);
}

/** Undoes `escaped`; the result is for `JSON.parse`. */
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

function replacer(storable: (text: string) => string): (key: string, value: unknown) => unknown {
  return (_key, value) => {
    if (typeof value === 'string') return storable(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const keys = Object.keys(value);
    if (keys.every((key) => storable(key) === key)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [storable(key), part]));
  };
}

function withoutNul(text: string): string {
  return withoutBroken(text.replaceAll('\0', ''));
}

function withEscapedNul(text: string): string {
  const escaped = text.replaceAll(MARK, MARK + MARK).replaceAll('\0', `${MARK}0`);
  return spellBroken(escaped, (digits) => MARK + digits);
}
