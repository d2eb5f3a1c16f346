/** Shows whether a list row changed since it was last read. */
import { hash } from 'node:crypto';

import {
  isJsonArray,
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  numberText,
} from '../model/json.ts';

/**
 * A hash, 32 hexadecimal characters, of the row's canonical JSON without `views`, whose changes are not worth a request.
 * Ignores what normalizing erases: the order of keys, a field that is null, empty or absent, and a number or its text. Within nested
 * values it ignores only the order of keys.
 */
export function fingerprint(row: JsonObject): string {
  let text = '';
  for (const key of Object.keys(row).toSorted()) {
    const value = row[key] ?? null;
    if (key === 'views' || value === null || value === '') continue;
    const isNumber = typeof value === 'number' || isRawNumber(value);
    text += `${JSON.stringify(key)}:${isNumber ? `"${numberText(value)}"` : canonicalJson(value)},`;
  }
  return hash('sha256', text, 'hex').slice(0, 32);
}

/** The value as JSON text, with the keys of objects in order. It is as deep as the parser of `json.ts` allows at the most. */
function canonicalJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join()}}`;
}
