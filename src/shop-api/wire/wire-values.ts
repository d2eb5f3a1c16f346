/** Readers of wire values: tolerant where the documentation is silent, strict about what must be there. */
import { isJsonArray, isJsonObject, isRawNumber, type JsonValue, numberText } from '../../model/json.ts';

/** An element of a list, with its key where the list is an object. */
export type WireEntry = { readonly key: string | undefined; readonly value: JsonValue };

/** The elements of a JSON array, or of an object keyed by identifier; undefined for anything else. */
export function listEntries(value: JsonValue | undefined): readonly WireEntry[] | undefined {
  if (isJsonArray(value)) return value.map((element) => ({ key: undefined, value: element }));
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([key, element]) => ({ key, value: element }));
}

/** Non-empty text; digits may come as a number. */
export function wireText(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'number' || isRawNumber(value) ? numberText(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Decimal digits of an identifier written as a number or as text; undefined where it is neither. */
export function wireId(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (isRawNumber(value)) return digits(value.rawJSON);
  return typeof value === 'string' ? digits(value.trim()) : undefined;
}

const MAX_ID = 2n ** 63n - 1n;

function digits(text: string): string | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const id = BigInt(text);
  return id <= MAX_ID ? id.toString() : undefined;
}

/** A count written as a number or as text; undefined where it is neither. */
export function wireCount(value: JsonValue | undefined): number | undefined {
  const count = Number(wireId(value));
  return Number.isSafeInteger(count) ? count : undefined;
}
