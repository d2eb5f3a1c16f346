/** The shop's own order fields, in whichever form a server sends them, as {key: {value, name, label}}. */
import { withoutBroken } from '../broken-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { cleanJson } from './json-clean.ts';
import { accepted, type Reading, refused } from './record-reader.ts';
import { BROKEN, parseText } from './text.ts';
import { unserialize } from './fields/php-unserialize.ts';

const MAX_BYTES = 1024 * 1024;
const TOO_LONG = 'fields longer than 1 MiB';
const UNDECODABLE = 'fields that are neither serialized by PHP nor JSON, or nested deeper than 32 levels';
const LABEL_NOT_TEXT = 'the name or label of a field is not a text';

/** What one field holds; `name` and `label` are null where the server sent a bare value. */
type FieldEntry = {
  readonly value: JsonValue;
  readonly name: string | null;
  /** The name in the language of the shop. */
  readonly label: string | null;
};

/**
 * Reads serialized text, JSON text, or decoded values. Entries are bare values or `{value, name, runame}`; a list's keys
 * are its positions. No fields are null.
 */
export function parseFields(value: JsonValue): Reading<JsonObject> {
  if (typeof value === 'string' && Buffer.byteLength(value) > MAX_BYTES) return refused(TOO_LONG);
  const decoded = typeof value === 'string' ? decode(withoutBroken(value.trim())) : value;
  if (decoded === null) return accepted<JsonObject>(null);
  if (!isJsonObject(decoded) && !isJsonArray(decoded)) return refused(UNDECODABLE);
  const clean = cleanJson(decoded);
  const broken = typeof value === 'string' && !value.isWellFormed() ? [BROKEN] : [];
  return isJsonObject(clean.value) || isJsonArray(clean.value)
    ? readEntries(clean.value, [...clean.problems, ...broken])
    : accepted<JsonObject>(null, clean.problems);
}

function decode(text: string): JsonValue | undefined {
  return text.startsWith('{') || text.startsWith('[') || text === 'null'
    ? decodeJson(text)
    : unserialize(text);
}

function decodeJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    // Bad syntax, or nesting that overflows the parser's stack.
    return undefined;
  }
}

function readEntries(
  container: JsonObject | readonly JsonValue[],
  cleaned: readonly string[],
): Reading<JsonObject> {
  const problems = new Set(cleaned);
  const entries: [string, FieldEntry][] = Object.entries(container).map(([key, entry]) => [
    key,
    readEntry(entry, problems),
  ]);
  return accepted<JsonObject>(entries.length === 0 ? null : Object.fromEntries(entries), [...problems]);
}

/** Whether an entry is `{value, name, runame}`. */
export function isDescribed(entry: JsonValue): entry is JsonObject {
  return isJsonObject(entry) && (Object.hasOwn(entry, 'value') || Object.hasOwn(entry, 'runame'));
}

function readEntry(entry: JsonValue, problems: Set<string>): FieldEntry {
  if (!isDescribed(entry)) return { value: entry, name: null, label: null };
  return {
    value: entry['value'] ?? null,
    name: readLabel(entry['name'], problems),
    label: readLabel(entry['runame'], problems),
  };
}

function readLabel(value: JsonValue | undefined, problems: Set<string>): string | null {
  if (value === undefined || value === null) return null;
  const { value: text, problems: found } = parseText(value);
  if (found.length > 0) problems.add(LABEL_NOT_TEXT);
  return text;
}
