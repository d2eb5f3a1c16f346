/** JSON that a jsonb column accepts. */
import { isJsonArray, isJsonObject, type JsonValue } from '../json.ts';
import { accepted, type Reading, refused } from './record-reader.ts';
import { cleanText, textProblems } from './text.ts';

const MAX_DEPTH = 32;
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
  const clean = cleanValue(value, 0, problems);
  return clean === undefined ? refused(TOO_DEEP) : accepted(clean, [...problems]);
}

/** A JSON object, or an empty array: PHP writes an empty object so. */
export function parseObject(value: JsonValue): Reading<JsonValue> {
  if (isJsonObject(value)) return cleanJson(value);
  return isJsonArray(value) && value.length === 0 ? accepted({}) : refused(NOT_OBJECT);
}

export function parseArray(value: JsonValue): Reading<JsonValue> {
  return isJsonArray(value) ? cleanJson(value) : refused(NOT_ARRAY);
}

function cleanValue(value: JsonValue, depth: number, problems: Set<string>): JsonValue | undefined {
  if (typeof value === 'string') return cleanString(value, problems);
  if (!isJsonArray(value) && !isJsonObject(value)) return value;
  if (depth === MAX_DEPTH) return undefined;
  return isJsonArray(value)
    ? cleanArray(value, depth + 1, problems)
    : cleanObject(value, depth + 1, problems);
}

function cleanArray(value: readonly JsonValue[], depth: number, problems: Set<string>) {
  const elements: JsonValue[] = [];
  for (const element of value) {
    const clean = cleanValue(element, depth, problems);
    if (clean === undefined) return undefined;
    elements.push(clean);
  }
  return elements;
}

function cleanObject(value: { readonly [key: string]: JsonValue }, depth: number, problems: Set<string>) {
  const entries = new Map<string, JsonValue>();
  for (const [rawKey, entry] of Object.entries(value)) {
    // Cleaned before it is compared: "__proto__\0" becomes one too.
    const key = cleanString(rawKey, problems);
    if (PROTOTYPE_KEYS.has(key)) {
      problems.add(PROTOTYPE_KEY);
      continue;
    }
    const clean = cleanValue(entry, depth, problems);
    if (clean === undefined) return undefined;
    if (entries.has(key)) problems.add(KEYS_MERGED);
    entries.set(key, clean);
  }
  return Object.fromEntries(entries);
}

function cleanString(text: string, problems: Set<string>): string {
  for (const problem of textProblems(text)) problems.add(problem);
  return cleanText(text);
}
