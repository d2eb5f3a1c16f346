/** JSON text that is the same for equal values. They are as deep as the parser of `json.ts` allows at the most. */
import {
  isJsonArray,
  isJsonObject,
  isRawNumber,
  type JsonValue,
  numberText,
  type RawNumber,
} from '../model/json.ts';
import { parseDecimal, unitsText } from './decimal.ts';

/**
 * The value as JSON text without blanks; equal numbers have the same spelling.
 *
 * @param sortsKeys those of every object, so that equal objects give equal text
 */
export function jsonText(value: JsonValue, sortsKeys = false): string {
  if (isJsonArray(value)) return `[${value.map((element) => jsonText(element, sortsKeys)).join()}]`;
  if (isJsonObject(value)) {
    const keys = Object.keys(value);
    if (sortsKeys) keys.sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${jsonText(value[key] ?? null, sortsKeys)}`).join()}}`;
  }
  return typeof value === 'number' || isRawNumber(value) ? canonicalNumber(value) : JSON.stringify(value);
}

/** A number as plain decimal text without exponent or trailing zeros. */
export function canonicalNumber(value: number | RawNumber): string {
  const text = numberText(value);
  if (Number.isSafeInteger(value)) return text;
  const decimal = parseDecimal(text);
  if (decimal === undefined) return text;
  const scale = Math.max(0, -decimal.exponent);
  const plain = unitsText(decimal.coefficient * 10n ** BigInt(Math.max(0, decimal.exponent)), scale);
  return scale === 0 ? plain : plain.replace(/\.?0+$/, '');
}
