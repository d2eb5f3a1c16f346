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
 * @param maxDepth levels of arrays and objects; few enough to walk through the value by recursion
 * @throws SyntaxError when the text is not JSON; RangeError when it is nested deeper than `maxDepth`
 */
export function parseJson(text: string, maxDepth = 2000): JsonValue {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const value: JsonValue = MAY_LOSE_DIGITS.test(bare) ? parseKeepingDigits(bare) : JSON.parse(bare);
  if (bare.length > 2 * maxDepth && isDeeper(value, maxDepth)) throw new RangeError(TOO_DEEP);
  return value;
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

/** No meaningful data is nested deeper; parsers and databases give up at a few thousand levels. */
const SHALLOW_DEPTH = 200;
const PRUNED = '"nested too deep to be kept"';

/** A longer text is pruned before it is parsed: a parser needs memory for each level. */
const MAX_PLAIN_LENGTH = 1024 * 1024;

/**
 * Parses JSON text, each value that is nested deeper than 200 levels replaced by a sentence.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseShallowJson(text: string): JsonValue {
  if (text.length <= MAX_PLAIN_LENGTH) {
    try {
      return parseJson(text, SHALLOW_DEPTH);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return parseJson(shallowJson(text));
}

/** The JSON text with each value that is nested deeper than 200 levels replaced by a sentence. */
function shallowJson(text: string): string {
  const parts: string[] = [];
  let [depth, from, isInString] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === BRACKET || code === BRACE) {
      if (++depth === SHALLOW_DEPTH + 1) parts.push(text.slice(from, at), PRUNED);
    } else if ((code === BRACKET_END || code === BRACE_END) && depth-- === SHALLOW_DEPTH + 1) from = at + 1;
  }
  // Truncated within what is too deep: leave it for the parser to find.
  if (depth > SHALLOW_DEPTH) return text.slice(0, from);
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];
