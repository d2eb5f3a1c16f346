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
/** Longer fractions keep their digits without further checks. */
const MAX_FRACTION_LENGTH = 17;
/**
 * A number of 16 characters or more, or with an exponent, or something like it inside a string. Any other number has at
 * most 15 digits, which a double holds exactly.
 */
const MAY_LOSE_DIGITS = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;
/** Few enough levels of arrays and objects for recursion. */
const MAX_DEPTH = 2000;
/** No meaningful data is nested deeper, and databases give up at a few thousand levels. */
const SHALLOW_DEPTH = 200;
const TOO_DEEP = 'JSON nested too deep to be read';
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

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
 * Parses JSON text. A number that a double holds exactly is a number; any other keeps its digits as a {@link
 * RawNumber}, or as a string if it is absurdly long. The last entry of a repeated key wins. A leading byte order mark
 * is ignored.
 *
 * @throws SyntaxError when the text is not JSON; RangeError when it is nested too deep to walk through it by recursion
 */
export function parseJson(text: string): JsonValue {
  const value = parseAnyDepth(text);
  if (text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH)) throw new RangeError(TOO_DEEP);
  return value;
}

/** Does what {@link parseJson} does, but replaces each value that is nested deeper than 200 levels by a sentence. */
export function parseShallowJson(text: string): JsonValue {
  const value = parseAnyDepth(text);
  return isDeeper(value, SHALLOW_DEPTH) ? prune(value, SHALLOW_DEPTH) : value;
}

function parseAnyDepth(text: string): JsonValue {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return MAY_LOSE_DIGITS.test(bare) ? parseKeepingDigits(bare) : JSON.parse(bare);
}

function prune(value: JsonValue, levels: number): JsonValue {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (levels === 0) return 'nested too deep to be kept';
  if (isJsonArray(value)) return value.map((part) => prune(part, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, prune(part, levels - 1)]));
}

/** Does what {@link parseJson} does by checking each value, which takes several times as long as parsing. */
export function parseKeepingDigits(text: string): JsonValue {
  try {
    return JSON.parse(text, (_key, value, context) => {
      if (typeof value !== 'number' || context.source === undefined) return value;
      return isExact(value, context.source) ? value : keepDigits(context.source);
    });
  } catch (error) {
    // The parser recurses for each level, and this error means a stack overflow.
    if (error instanceof RangeError) throw new RangeError(TOO_DEEP, { cause: error });
    throw error;
  }
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

function isExact(value: number, source: string): boolean {
  // Also bounds the work: removing trailing zeros takes quadratic time.
  if (source.length > MAX_NUMBER_DIGITS) return false;
  const isPlain = Number.isInteger(value)
    ? Number.isSafeInteger(value)
    : Number.isFinite(value) && source.length <= MAX_FRACTION_LENGTH;
  // The double must equal the number as written, not merely be the nearest one.
  return isPlain && (String(value) === source || significand(String(value)) === significand(source));
}

/** A canonical spelling of a number: its significant digits and the power of ten after them. */
function significand(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

function keepDigits(source: string): RawNumber | string {
  const exponent = /e([+-]?\d+)$/i.exec(source)?.[1] ?? '0';
  const storable = source.length <= MAX_NUMBER_DIGITS && Math.abs(Number(exponent)) <= MAX_NUMBER_DIGITS;
  return storable ? JSON.rawJSON(source) : source;
}
