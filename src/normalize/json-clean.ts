/** JSON that a jsonb column accepts. */
import { isDeeper, isJsonArray, isJsonObject, type JsonValue } from '../model/json.ts';
import { accepted, type Reading, refused } from './record-reader.ts';
import { cleanText, textProblems } from './text.ts';

export const MAX_DEPTH = 32;
const TOO_DEEP = 'nested deeper than 32 levels';
const PROTOTYPE_KEY = 'a key that names an object prototype was dropped';
const KEYS_MERGED = 'keys that differ only in characters that cannot be stored became one';
const NOT_OBJECT = 'not an object';
const NOT_ARRAY = 'not an array';

const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Removes NUL, replaces lone surrogates, and drops keys that could pollute a prototype. Nesting deeper than 32 levels
 * is refused.
 */
export function cleanJson(value: JsonValue): Reading<JsonValue> {
  const problems = new Set<string>();
  const clean = cleanValue(value, problems);
  return isDeeper(clean, MAX_DEPTH) ? refused(TOO_DEEP) : accepted(clean, [...problems]);
}

/** A JSON object, or an empty array: PHP writes an empty object so. */
export function parseObject(value: JsonValue): Reading<JsonValue> {
  if (isJsonObject(value)) return cleanJson(value);
  return isJsonArray(value) && value.length === 0 ? accepted({}) : refused(NOT_OBJECT);
}

export function parseArray(value: JsonValue): Reading<JsonValue> {
  return isJsonArray(value) ? cleanJson(value) : refused(NOT_ARRAY);
}

function cleanValue(value: JsonValue, problems: Set<string>): JsonValue {
  if (typeof value === 'string') return cleanString(value, problems);
  if (isJsonArray(value)) return value.map((element) => cleanValue(element, problems));
  if (!isJsonObject(value)) return value;
  const entries = new Map<string, JsonValue>();
  for (const [rawKey, entry] of Object.entries(value)) {
    // Cleaned before it is compared: "__proto__\0" becomes one too.
    const key = cleanString(rawKey, problems);
    if (PROTOTYPE_KEYS.has(key)) {
      problems.add(PROTOTYPE_KEY);
      continue;
    }
    if (entries.has(key)) problems.add(KEYS_MERGED);
    entries.set(key, cleanValue(entry, problems));
  }
  return Object.fromEntries(entries);
}

function cleanString(text: string, problems: Set<string>): string {
  for (const problem of textProblems(text)) problems.add(problem);
  return cleanText(text);
}
