/** The shop's own order fields, in whichever form a server sends them, as {key: {value, name, label}}. */
import { withoutBroken } from '../model/broken-text.ts';
import { isDeeper, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { cleanJson, MAX_DEPTH } from './json-clean.ts';
import { accepted, type Reading, refused } from './record-reader.ts';
import { decodeEntities } from './shown-text.ts';
import { BROKEN, parseText } from './text.ts';
import { readJsonEntries } from './fields/json-entries.ts';
import { unserialize } from './fields/php-unserialize.ts';
import { leftOut, type Salvaged, sizeOf, TOO_DEEP } from './fields/salvaged.ts';

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
 * Reads serialized text, JSON text, or decoded values. Entries are bare values or `{value, name, runame}`; a list's keys
 * are its positions. An entry that cannot be decoded is left out. No fields are null.
 */
export function parseFields(value: JsonValue): Reading<JsonObject> {
  if (typeof value === 'string' && Buffer.byteLength(value) > MAX_BYTES) return refused(TOO_LONG);
  const read = typeof value === 'string' ? decode(withoutBroken(value.trim())) : { value, problems: [] };
  const decoded = read?.value;
  if (decoded === null) return accepted<JsonObject>(null);
  if (read === undefined || (!isJsonObject(decoded) && !isJsonArray(decoded))) return refused(UNDECODABLE);
  const problems = [...read.problems];
  const entries = Object.entries(decoded).filter(([, entry], at) => {
    const isShallow = !isDeeper(entry, MAX_DEPTH - 1);
    if (!isShallow) problems.push(leftOut(at + 1, TOO_DEEP));
    return isShallow;
  });
  const clean = cleanJson(Object.fromEntries(entries));
  if (typeof value === 'string' && !value.isWellFormed()) problems.push(BROKEN);
  return readEntries(clean.value, [...problems, ...clean.problems]);
}

/** The form in which most of a text can be read: as it came, as a page shows it, or without slashes before its quotes. */
function decode(text: string): Salvaged | undefined {
  let best: Salvaged | undefined;
  for (const form of new Set([text, decodeEntities(text), text.replaceAll(/\\(["'\\])/g, '$1')])) {
    const found = unserialize(form) ?? readJsonEntries(form);
    if (found?.problems.length === 0) return found;
    if (found !== undefined && (best === undefined || sizeOf(found) > sizeOf(best))) best = found;
  }
  return best;
}

function readEntries(container: JsonValue, found: readonly string[]): Reading<JsonObject> {
  const problems = new Set(found);
  const entries: [string, FieldEntry][] = Object.entries(container ?? {}).map(([key, entry]) => [
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
