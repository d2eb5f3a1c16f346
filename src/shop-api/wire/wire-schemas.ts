/** Readers of wire values: tolerant where the documentation is silent, strict about what must be there. */
import { z } from 'zod';

import { isJsonArray, isJsonObject, isRawNumber, type JsonValue, numberText } from '../../json.ts';
import type { ReadShape } from './read-response.ts';

/** Reads by a schema: for rare responses; the frequent ones are read faster without one. */
export function bySchema<Value>(schema: z.ZodType<Value>): ReadShape<Value> {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { value: parsed.data };
    const places = parsed.error.issues
      .slice(0, 3)
      .map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`);
    return { mismatch: places.join('; ') };
  };
}

const isJson = (value: unknown): value is JsonValue => value !== undefined;
export const wireValue = z.custom<JsonValue>(isJson, 'must be there');

/** A list: a JSON array, or an object keyed by identifier, whose values are taken; each with its key where it has one. */
export type WireEntry = { readonly key: string | undefined; readonly value: JsonValue };
export const wireList = wireValue.transform((value, context): readonly WireEntry[] => {
  const entries = listEntries(value);
  if (entries !== undefined) return entries;
  context.addIssue({ code: 'custom', message: 'must be a list' });
  return z.NEVER;
});

/** The entries of a list; undefined for anything else. */
export function listEntries(value: JsonValue | undefined): readonly WireEntry[] | undefined {
  if (isJsonArray(value)) return value.map((element) => ({ key: undefined, value: element }));
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([key, element]) => ({ key, value: element }));
}

/** Non-empty text; digits may come as a number. */
export const wireText = wireValue.transform((value, context): string => {
  const text = typeof value === 'number' || isRawNumber(value) ? numberText(value) : value;
  if (typeof text === 'string' && text !== '') return text;
  context.addIssue({ code: 'custom', message: 'must be a text' });
  return z.NEVER;
});

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
  const id = wireId(value);
  const count = id === undefined ? Number.NaN : Number(id);
  return Number.isSafeInteger(count) ? count : undefined;
}
