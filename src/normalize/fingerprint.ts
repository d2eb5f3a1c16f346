/** Shows whether a list row changed since it was last read. */
import { hash } from 'node:crypto';

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { canonicalNumber, jsonText } from './canonical-json.ts';

/**
 * A hash, 32 hexadecimal characters, of the row's canonical JSON without `views`, whose changes are not worth a request.
 * Ignores what normalizing erases: the order of keys, a field that is null, empty or absent, a number or its text, and
 * a number's spelling. Within nested values it ignores only the order of keys and the spelling of numbers.
 */
export function fingerprint(row: JsonObject): string {
  let text = '';
  for (const key of Object.keys(row).toSorted()) {
    const value = row[key];
    if (key === 'views' || value === undefined || value === null || value === '') continue;
    text += `${JSON.stringify(key)}:${canonical(value)},`;
  }
  return hash('sha256', text, 'hex').slice(0, 32);
}

function canonical(value: Exclude<JsonValue, null>): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (isJsonArray(value) || isJsonObject(value)) return jsonText(value, true);
  return JSON.stringify(canonicalNumber(value));
}
