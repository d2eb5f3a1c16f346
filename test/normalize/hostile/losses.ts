/** What a normalizer lost without saying so, and what it said that is not so. */
import { isDeepStrictEqual } from 'node:util';

import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  numberText,
} from '../../../src/model/json.ts';
import type { Rejection } from '../../../src/normalize/rejection.ts';
import type { Field, FieldKind } from './fields.ts';
import type { Sample } from './samples.ts';

export type Normal = { readonly row: object | undefined; readonly rejections: readonly Rejection[] };

const NEVER = /^\s*(?:0000-00-00|00\.00\.0000)(?:[ T]+00:00(?::00)?)?\s*$/;

/** Values that hold something in JSON, and nothing by their meaning. */
const MEANS_NOTHING: { readonly [Kind in FieldKind]?: (text: string) => boolean } = {
  created: (text) => NEVER.test(text),
  time: (text) => NEVER.test(text),
  // Nobody.
  buyer: (text) => /^-?0+$/.test(text.trim()),
  fields: (text) => ['[]', '{}', 'a:0:{}', 'N;', 'null'].includes(text.trim()),
};

/** Columns of a row that is there: null, though their field held something, and no rejection names the field. */
export function silentLosses(
  fields: readonly Field[],
  { payload }: Sample,
  normal: Normal,
): readonly string[] {
  const { row, rejections } = normal;
  if (row === undefined) return [];
  const named = new Set(rejections.map(({ field }) => field));
  return fields.flatMap(({ name, kind, columns }) => {
    const value = wireValue(payload, name);
    if (named.has(name) || !holds(value, kind)) return [];
    return columns
      .filter((column) => !isOptional(column, value))
      .filter((column) => [null, ''].includes(Reflect.get(row, column)))
      .map((column) => `${name} = ${JSON.stringify(value)} was lost from ${column}`);
  });
}

const written = (value: unknown) => (value instanceof Temporal.Instant ? value.toString() : value);

/** Columns of fields that nobody spoilt, with another value than the one sent. */
export function strayChanges({ expected }: Sample, row: object): readonly string[] {
  return [...expected]
    .filter(([column, value]) => !isDeepStrictEqual(written(Reflect.get(row, column)), value))
    .map(
      ([column, value]) =>
        `${column} should be ${JSON.stringify(value)}: ${JSON.stringify(Reflect.get(row, column))}`,
    );
}

/** Rejections that are incomplete, could not be stored, or are of a field that was good. */
export function wrongRejections(
  fields: readonly Field[],
  { spoilt }: Sample,
  { row, rejections }: Normal,
): readonly string[] {
  const names = new Set(fields.map(({ name }) => name));
  const isInside = (name: string) => name.startsWith('content.');
  const mayFail = (name: string) =>
    spoilt.has(name) ||
    // A date that cannot be read takes the time of day with it.
    (name === 'time' && spoilt.has('created')) ||
    (isInside(name) && spoilt.has('content')) ||
    (name === 'content' && [...spoilt].some(isInside));
  return rejections
    .filter(({ field, reason, value, sourceKey }) => {
      const isOfRecord = field === null && row === undefined;
      const isOfField = field !== null && names.has(field) && mayFail(field) && sourceKey !== null;
      const isShort =
        value === null || (value.length <= 500 && value.isWellFormed() && !value.includes('\0'));
      return reason === '' || !isShort || !(isOfRecord || isOfField);
    })
    .map((rejection) => `wrong: ${JSON.stringify(rejection)}`);
}

function wireValue(payload: JsonObject, name: string): JsonValue | undefined {
  const [outer = '', inner] = name.split('.');
  const value = Object.hasOwn(payload, outer) ? payload[outer] : undefined;
  if (inner === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, inner) ? value[inner] : undefined;
}

function holds(value: JsonValue | undefined, kind: FieldKind): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string' && /^\s*$/.test(value)) return false;
  const isNumber = typeof value === 'number' || isRawNumber(value);
  const text = typeof value === 'string' ? value : isNumber ? numberText(value) : JSON.stringify(value);
  return MEANS_NOTHING[kind]?.(text) !== true;
}

/** A column for a part of the value that the value need not have. */
function isOptional(column: string, value: JsonValue | undefined): boolean {
  if (column === 'discount_percent') return typeof value !== 'string' || !value.trim().endsWith('%');
  return column === 'spec_hash' && (typeof value !== 'string' || !/_./s.test(value));
}
