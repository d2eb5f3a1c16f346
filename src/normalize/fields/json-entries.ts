/** Reads JSON text of an object or array. What is no JSON in it costs its entry. */
import { type JsonValue, isJsonArray, isJsonObject, parseJson } from '../../model/json.ts';
import { leftOut, type Salvaged, TOO_DEEP } from './salvaged.ts';

const NO_JSON = 'it is no JSON';
/** Words of JSON in which the marks between entries may stand: a text, whole or cut off. */
const MARKS = /"(?:[^"\\]|\\.)*"?|[{}[\],]/gs;

/** @returns undefined for text that is neither an object nor an array */
export function readJsonEntries(text: string): Salvaged | undefined {
  if (text === 'null') return { value: null, problems: [] };
  const isObject = text.startsWith('{');
  if (!isObject && !text.startsWith('[')) return undefined;
  const whole = tryJson(text);
  if (!('reason' in whole)) return { value: whole.value, problems: [] };
  const problems: string[] = [];
  const entries = splitEntries(text).flatMap((entry, at): [string, JsonValue][] => {
    const read = tryJson(isObject ? `{${entry}}` : `[${entry}]`);
    const value = 'reason' in read ? undefined : read.value;
    if (isJsonObject(value) || isJsonArray(value)) {
      const parts = Object.entries(value);
      if (parts.length === 1) return parts.map(([key, part]) => [isObject ? key : String(at), part]);
    }
    problems.push(leftOut(at + 1, 'reason' in read ? read.reason : NO_JSON));
    return [];
  });
  return { value: Object.fromEntries(entries), problems };
}

/** The text between the outermost brackets, parted at its commas. */
function splitEntries(text: string): readonly string[] {
  const entries: string[] = [];
  let [depth, from] = [0, 1];
  for (const { 0: mark, index } of text.matchAll(MARKS)) {
    if (mark === '{' || mark === '[') depth += 1;
    else if (mark === '}' || mark === ']') depth -= 1;
    const isEnd = depth === 0;
    if (!isEnd && (mark !== ',' || depth > 1)) continue;
    entries.push(text.slice(from, index));
    from = index + 1;
    if (isEnd) break;
  }
  if (depth > 0) entries.push(text.slice(from));
  return entries.filter((entry) => entry.trim() !== '');
}

function tryJson(text: string): { readonly value: JsonValue } | { readonly reason: string } {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { reason: error instanceof RangeError ? TOO_DEEP : NO_JSON };
  }
}
