/** JSON that loses nothing: numbers a double cannot hold keep their digits. */

/** A number kept as its source digits; `JSON.stringify` writes those digits again. Made by `JSON.rawJSON`. */
export type RawNumber = { readonly rawJSON: string };
export type JsonObject = { readonly [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | RawNumber | readonly JsonValue[] | JsonObject;

// TypeScript's library does not describe these two parts of JSON yet; Node has both.
type JsonWithSource = {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): JsonValue;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const json = JSON as unknown as JsonWithSource;

/** Longer or larger numbers than this stay text: PostgreSQL's jsonb would refuse them. */
const MAX_NUMBER_DIGITS = 200;

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/**
 * Parses JSON text. A number that a double holds exactly is a number; any other keeps its digits as a
 * {@link RawNumber}, or as a string where it is absurdly long. A leading byte order mark is ignored.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): JsonValue {
  return json.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value;
    return isExact(value, context.source) ? value : keepDigits(context.source);
  });
}

/** The digits of a number or raw number as text, without exponent where the double is below 1e21. */
export function numberText(value: number | RawNumber): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

function isExact(value: number, source: string): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return Number.isFinite(value) && source.length <= 17;
}

function keepDigits(source: string): RawNumber | string {
  const exponent = /e([+-]?\d+)$/i.exec(source)?.[1] ?? '0';
  const storable = source.length <= MAX_NUMBER_DIGITS && Math.abs(Number(exponent)) <= MAX_NUMBER_DIGITS;
  return storable ? json.rawJSON(source) : source;
}
