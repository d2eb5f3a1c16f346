/**
 * JSON text of rows as PostgreSQL accepts it: lone surrogates replaced, the digits of raw numbers kept.
 *
 * @param nul what becomes of NUL, which PostgreSQL refuses: it is removed, or written so that {@link restoreNul} finds it
 */
export function jsonText(rows: unknown, nul: 'removed' | 'escaped' = 'removed'): string {
  const text = JSON.stringify(rows);
  const storable = nul === 'removed' ? withoutNul : withEscapedNul;
  // `JSON.stringify` writes both as escapes; the search may hit a harmless escaped backslash, which costs a second pass.
  const isRefused = /\\u0000|\\ud[89a-f]/i.test(text) || (nul === 'escaped' && text.includes(MARK));
  return isRefused ? JSON.stringify(rows, replacer(storable)) : text;
}

/** JSON text that was written with its NUL characters escaped, as it was before; for `JSON.parse`. */
export function restoreNul(text: string): string {
  return text.includes(MARK) ? text.replace(ESCAPED, (_, mark) => (mark === MARK ? MARK : '\\u0000')) : text;
}

/** A character that Unicode sets aside for the use within programs: no shop sends it. */
const MARK = '\uFDD0';
const ESCAPED = /\uFDD0([0\uFDD0])/g;

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
  return text.replaceAll('\0', '').toWellFormed();
}

function withEscapedNul(text: string): string {
  return text
    .replaceAll(MARK, MARK + MARK)
    .replaceAll('\0', `${MARK}0`)
    .toWellFormed();
}
