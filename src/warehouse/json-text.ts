/** JSON text of rows as PostgreSQL accepts it: NUL removed, lone surrogates replaced, the digits of raw numbers kept. */
export function jsonText(rows: unknown): string {
  const text = JSON.stringify(rows);
  // `JSON.stringify` writes both as escapes; the search may hit a harmless escaped backslash, which costs a second pass.
  return /\\u0000|\\ud[89a-f]/i.test(text) ? JSON.stringify(rows, storable) : text;
}

function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (keys.every((key) => storableText(key) === key)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [storableText(key), part]));
}

function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
