/** Shows whether a list row changed since it was last read. */
import { hash } from 'node:crypto';

import {
  isJsonArray,
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  numberText,
  type RawNumber,
} from '../model/json.ts';
import { parseDecimal, unitsText } from './numbers.ts';

/**
 * A hash, 32 hexadecimal characters, of the row's canonical JSON without `views`, whose changes are not worth a request.
 * Ignores what normalizing erases: the order of keys, a field that is null, empty or absent, a number or its text, and
 * a number's spelling. Within nested values it ignores only the order of keys and the spelling of numbers.
 */
export function fingerprint(row: JsonObject): string {
  let text = '';
  for (const key of Object.keys(row).toSorted()) {
    const value = row[key] ?? null;
    if (key === 'views' || value === null || value === '') continue;
    const isNumber = typeof value === 'number' || isRawNumber(value);
    text += `${JSON.stringify(key)}:${isNumber ? JSON.stringify(canonicalNumber(value)) : canonicalJson(value)},`;
  }
  return hash('sha256', text, 'hex').slice(0, 32);
}

/** The value as JSON text that is the same for equal values. It is as deep as the parser of `json.ts` allows at the most. */
function canonicalJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (isJsonObject(value)) {
    const keys = Object.keys(value).toSorted();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join()}}`;
  }
  return typeof value === 'number' || isRawNumber(value) ? canonicalNumber(value) : JSON.stringify(value);
}

/** A number as plain decimal text without exponent or trailing zeros. */
function canonicalNumber(value: number | RawNumber): string {
  const text = numberText(value);
  if (Number.isSafeInteger(value)) return text;
  const decimal = parseDecimal(text);
  if (decimal === undefined) return text;
  const scale = Math.max(0, -decimal.exponent);
  const plain = unitsText(decimal.coefficient * 10n ** BigInt(Math.max(0, decimal.exponent)), scale);
  return scale === 0 ? plain : plain.replace(/\.?0+$/, '');
}
