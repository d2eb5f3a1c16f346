/** Lossless JSON: numbers that a double cannot hold keep their digits. */

/** A number kept as its source digits; `JSON.stringify` writes those digits again. Made by `JSON.rawJSON`. */
// An interface, since a type alias would count as a JsonObject.
export interface RawNumber {
  readonly rawJSON: string;
}
export type JsonObject = { readonly [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | RawNumber | readonly JsonValue[] | JsonObject;

declare global {
  // TypeScript's library does not describe these parts of JSON yet; Node has them.
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): JsonValue;
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** Longer or larger numbers than this stay text: PostgreSQL's jsonb would refuse them. */
const MAX_NUMBER_DIGITS = 200;
/** Any other number has at most 15 digits, which a double holds exactly. */
const LONG_NUMBER = /^-?\d.{15}|e/i;
/** Such a number, or something like it inside a string. */
const MAY_LOSE_DIGITS = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;
/** No meaningful data has more levels of arrays and objects, and databases give up at a few thousand. */
const MAX_DEPTH = 200;

export function isRawNumber(value: unknown): value is RawNumber {
  return JSON.isRawJSON(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** `Array.isArray` does not narrow readonly arrays. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Parses JSON text. A number that a double holds as it is written is a number; any other keeps its digits as a {@link
 * RawNumber}, or as a string if it is absurdly long. The last entry of a repeated key wins. A leading byte order mark is
 * ignored. A sentence stands for each value that is nested deeper than 200 levels.
 *
 * @throws SyntaxError when the text is not JSON; RangeError when it is nested too deep for the stack
 */
export function parseJson(text: string): JsonValue {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const value = MAY_LOSE_DIGITS.test(bare) ? parseKeepingDigits(bare) : JSON.parse(bare);
  return text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH) ? prune(value, MAX_DEPTH) : value;
}

function prune(value: JsonValue, levels: number): JsonValue {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (levels === 0) return 'nested too deep to be kept';
  if (isJsonArray(value)) return value.map((part) => prune(part, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, prune(part, levels - 1)]));
}

/** Takes several times as long as parsing alone. */
function parseKeepingDigits(text: string): JsonValue {
  return JSON.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || !LONG_NUMBER.test(source)) return value;
    const isSafe = Number.isSafeInteger(value) || !Number.isInteger(value);
    return isSafe && String(value) === source ? value : keepDigits(source);
  });
}

/** Whether arrays and objects are nested in more levels than so many. */
export function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return !isRawNumber(value);
  const parts = isJsonArray(value) ? value : Object.values(value);
  for (const part of parts) if (typeof part === 'object' && isDeeper(part, levels - 1)) return true;
  return false;
}

/** The digits of a number or raw number as text, possibly with an exponent. */
export function numberText(value: number | RawNumber): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

/** Text, or a number as text; undefined for anything else. */
export function scalarText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || isRawNumber(value) ? numberText(value) : undefined;
}

function keepDigits(source: string): RawNumber | string {
  const exponent = /e([+-]?\d+)$/i.exec(source)?.[1] ?? '0';
  const storable = source.length <= MAX_NUMBER_DIGITS && Math.abs(Number(exponent)) <= MAX_NUMBER_DIGITS;
  return storable ? JSON.rawJSON(source) : source;
}
