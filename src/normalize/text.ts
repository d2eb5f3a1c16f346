/** Texts, codes and JSON of columns. Numbers count as text, since servers mix the two. */
import {
  isDeeper,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  scalarText,
} from '../model/json.ts';
import { withoutBroken } from '../model/broken-text.ts';
import { accepted, type Reading, refused } from './record-reader.ts';

const NUL_REMOVED = 'NUL characters were removed from the text';
export const BROKEN = 'parts of the text are no characters, and were replaced by question marks';
const NOT_TEXT = 'not a text';
const BROKEN_CODE = 'a code of which parts are no characters';
export const TOO_DEEP = 'nested deeper than 32 levels';
const NOT_OBJECT = 'not an object';
const NOT_ARRAY = 'not an array';
const LONG_CODE = 'a code longer than 64 characters';

/** Index entries have a size limit; no shop has longer codes. */
const MAX_CODE_LENGTH = 64;
/** Of JSON in a column. */
export const MAX_DEPTH = 32;

/** Text that PostgreSQL accepts: NUL removed, lone surrogates replaced. */
function cleanText(text: string): string {
  return withoutBroken(text.replaceAll('\0', ''));
}

function textProblems(text: string): readonly string[] {
  return [...(text.includes('\0') ? [NUL_REMOVED] : []), ...(text.isWellFormed() ? [] : [BROKEN])];
}

/** Text as written, blanks included. */
export function parseText(value: JsonValue): Reading<string> {
  const text = scalarText(value);
  if (text === undefined) return refused(NOT_TEXT);
  const clean = cleanText(text);
  return accepted(clean.trim() === '' ? null : clean, textProblems(text));
}

/** Text without the blanks around it. */
export function parseTrimmed(value: JsonValue): Reading<string> {
  const { value: text, problems } = parseText(value);
  return accepted(text && text.trim(), problems);
}

/** A code that is part of a table's key. */
export function parseCode(value: JsonValue): Reading<string> {
  const reading = parseTrimmed(value);
  if (reading.problems.includes(BROKEN)) return refused(BROKEN_CODE);
  const isLong = reading.value !== null && reading.value.length > MAX_CODE_LENGTH;
  return isLong ? refused(LONG_CODE) : reading;
}

/** Text, or `true` and `false` spelled out. */
export function parseFlag(value: JsonValue): Reading<string> {
  return parseText(typeof value === 'boolean' ? String(value) : value);
}

/** A JSON object, or an empty array: PHP writes an empty object so. */
export function parseObject(value: JsonValue): Reading<JsonObject> {
  if (isJsonArray(value) && value.length === 0) return accepted({});
  return isJsonObject(value) ? parseShallow(value) : refused(NOT_OBJECT);
}

export function parseArray(value: JsonValue): Reading<readonly JsonValue[]> {
  return isJsonArray(value) ? parseShallow(value) : refused(NOT_ARRAY);
}

/** What no column can hold is removed from its texts where it is written. */
function parseShallow<Value extends JsonValue>(value: Value): Reading<Value> {
  return isDeeper(value, MAX_DEPTH) ? refused(TOO_DEEP) : accepted(value);
}
