/** The shop's own order fields, in whichever form a server sends them, as {key: {value, name, label}}. */
import { withoutBroken } from '../model/broken-text.ts';
import {
  isDeeper,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../model/json.ts';
import { accepted, type Reading, refused } from './record-reader.ts';
import { decodeEntities } from './shown-text.ts';
import { BROKEN, MAX_DEPTH, parseText, TOO_DEEP } from './text.ts';
import { byEntries, leftOut, unserialize, type Unserialized } from './fields/php-unserialize.ts';

const MAX_BYTES = 1024 * 1024;
const TOO_LONG = 'fields longer than 1 MiB';
const UNDECODABLE = 'fields that are neither serialized by PHP nor JSON';
const LABEL_NOT_TEXT = 'the name or label of a field is not a text';

/** What one field holds; `name` and `label` are null where the server sent a bare value. */
type FieldEntry = {
  readonly value: JsonValue;
  readonly name: string | null;
  /** The name in the language of the shop. */
  readonly label: string | null;
};

/**
 * Reads serialized text, JSON text, or decoded values, also those that it returned before. Entries are bare values or `{value, name, runame}`; a list's keys
 * are its positions. An entry that cannot be decoded is left out. No fields are null.
 */
export function parseFields(value: JsonValue): Reading<JsonObject> {
  if (typeof value === 'string' && Buffer.byteLength(value) > MAX_BYTES) return refused(TOO_LONG);
  const read = typeof value === 'string' ? decode(withoutBroken(value.trim())) : { value, problems: [] };
  const decoded = read?.value;
  if (decoded === null) return accepted<JsonObject>(null);
  if (read === undefined || (!isJsonObject(decoded) && !isJsonArray(decoded))) return refused(UNDECODABLE);
  const problems = new Set(read.problems);
  if (typeof value === 'string' && !value.isWellFormed()) problems.add(BROKEN);
  const entries = Object.entries(decoded).flatMap(([key, entry], at): [string, FieldEntry][] => {
    const read = readEntry(entry, problems);
    if (!isDeeper(read.value, MAX_DEPTH - 2)) return [[key, read]];
    problems.add(leftOut(at + 1, TOO_DEEP));
    return [];
  });
  return accepted<JsonObject>(entries.length === 0 ? null : Object.fromEntries(entries), [...problems]);
}

/** The form in which most of a text can be read: as it came, or as a page shows it. */
function decode(text: string): Unserialized | undefined {
  const asSent = unserialize(text) ?? readJson(text);
  if (asSent?.problems.length === 0 || !text.includes('&')) return asSent;
  const shown = decodeEntities(text);
  const found = [asSent, unserialize(shown) ?? readJson(shown)].filter((form) => form !== undefined);
  return found.find(({ problems }) => problems.length === 0) ?? found.toSorted(byEntries)[0];
}

function readJson(text: string): Unserialized | undefined {
  try {
    return { value: parseJson(text), problems: [] };
  } catch {
    return undefined;
  }
}

/** Whether an entry is `{value, name, runame}`. */
function isDescribed(entry: JsonValue): entry is JsonObject {
  return isJsonObject(entry) && (Object.hasOwn(entry, 'value') || Object.hasOwn(entry, 'runame'));
}

function readEntry(entry: JsonValue, problems: Set<string>): FieldEntry {
  if (!isDescribed(entry)) return { value: entry, name: null, label: null };
  return {
    value: entry['value'] ?? null,
    name: readLabel(entry['name'], problems),
    label: readLabel(entry['runame'] ?? entry['label'], problems),
  };
}

function readLabel(value: JsonValue | undefined, problems: Set<string>): string | null {
  if (value === undefined || value === null) return null;
  const { value: text, problems: found } = parseText(value);
  if (found.length > 0) problems.add(LABEL_NOT_TEXT);
  return text;
}
