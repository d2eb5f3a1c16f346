/** Ways to spoil a field. */
import * as fc from 'fast-check';

import { isJsonArray, isJsonObject, type JsonValue, numberText } from '../../../src/model/json.ts';
import { HOSTILE_VALUES } from './values.ts';
import { anyText } from '../../support/any-text.ts';

/** What a field is replaced by, or what is done to its value at some place. */
export type Spoiling =
  | { readonly value: JsonValue | undefined }
  | { readonly twist: keyof typeof TWISTS; readonly at: number };

const at = (text: string, place: number) => place % (text.length + 1);
const inserted = (what: string) => (text: string, place: number) =>
  text.slice(0, at(text, place)) + what + text.slice(at(text, place));

/** A good value's text, with one thing changed. */
const TWISTS = {
  cut: (text: string, place: number) => text.slice(0, at(text, place)),
  doubled: (text: string) => text + text,
  minus: (text: string) => `-${text}`,
  listed: (text: string): JsonValue => [text],
  described: (text: string): JsonValue => ({ value: text }),
  nul: inserted('\0'),
  surrogate: inserted('\ud800'),
  digit: inserted('7'),
  comma: inserted(','),
  blank: inserted(' '),
  quote: inserted('"'),
} as const;

const twistNames = ['cut', 'doubled', 'minus', 'listed', 'described', 'nul', 'surrogate', 'digit'] as const;

export const spoilings: fc.Arbitrary<Spoiling> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...HOSTILE_VALUES).map((value) => ({ value })) },
  { weight: 1, arbitrary: fc.constantFrom(undefined, null, '', ' ', '\t\n').map((value) => ({ value })) },
  { weight: 2, arbitrary: anyText({ maxLength: 12 }).map((value) => ({ value })) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ value })) },
  {
    weight: 6,
    arbitrary: fc.record({
      twist: fc.constantFrom(...twistNames, 'comma' as const, 'blank' as const, 'quote' as const),
      at: fc.nat(200),
    }),
  },
);

/** The spoilt value; undefined: the field is left out. */
export function spoil(value: JsonValue | undefined, spoiling: Spoiling): JsonValue | undefined {
  if ('value' in spoiling) return spoiling.value;
  return TWISTS[spoiling.twist](textOf(value), spoiling.at);
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isJsonArray(value) || isJsonObject(value)) return JSON.stringify(value);
  return numberText(value);
}
