/** Readers of wire values: tolerant where the documentation is silent, strict about what must be there. */
import { readId } from '../../model/id.ts';
import { isJsonArray, isJsonObject, type JsonValue, scalarText } from '../../model/json.ts';

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
  return scalarText(value) || undefined;
}

/** The digits of an identifier; below zero there is none. */
export function wireId(value: JsonValue | undefined): string | undefined {
  const id = readId(value);
  return id?.startsWith('-') ? undefined : id;
}

/** A count written as a number or as text; undefined where it is neither. */
export function wireCount(value: JsonValue | undefined): number | undefined {
  const count = Number(wireId(value));
  return Number.isSafeInteger(count) ? count : undefined;
}
