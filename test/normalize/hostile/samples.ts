/** Payloads of every kind: good ones, good ones with a few fields spoilt, and ones that are spoilt throughout. */
import * as fc from 'fast-check';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/model/json.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import type { Field } from './fields.ts';
import { GOOD } from './good-values.ts';
import { spoil, type Spoiling, spoilings } from './spoil.ts';

export type Sample = {
  readonly payload: JsonObject;
  /** Fields with another value than a good one. */
  readonly spoilt: ReadonlySet<string>;
  /** What the columns of the other fields must hold. */
  readonly expected: ReadonlyMap<string, JsonValue>;
};

/** Keys that no shop documents, or that the program does not read. */
const STRANGE_KEYS = '__proto__|constructor|prototype|toString|hasOwnProperty|new field|users|a\0|'.split(
  '|',
);

export function samples(fields: readonly Field[]): fc.Arbitrary<Sample> {
  const names = [...fields.map(({ name }) => name), ...STRANGE_KEYS];
  const spoilt = fc.array(fc.tuple(fc.constantFrom(...names), spoilings), { maxLength: 12, size: 'max' });
  return fc.tuple(fc.nat(), spoilt).map(([seed, changes]) => sampleOf(fields, seed, changes));
}

function sampleOf(
  fields: readonly Field[],
  seed: number,
  changes: readonly (readonly [string, Spoiling])[],
): Sample {
  const random = new Random(seed, 'record');
  const wire = new Map<string, JsonValue>();
  const expected = new Map<string, JsonValue>();
  for (const { name, kind, columns } of fields) {
    const good = GOOD[kind](random);
    wire.set(name, good.wire);
    // A time may have no column for its instant.
    for (const [index, column] of columns.entries()) {
      const value = good.columns[index];
      if (value !== undefined) expected.set(column, value);
    }
  }
  placeInDay(wire, expected);
  for (const [name, spoiling] of changes) {
    const value = spoil(wire.get(name), spoiling);
    if (value === undefined) wire.delete(name);
    else wire.set(name, value);
  }
  const spoilt = new Set(changes.map(([name]) => name));
  for (const { name, columns } of fields) {
    const isSpoilt = spoilt.has(name) || (name.startsWith('content.') && spoilt.has('content'));
    if (isSpoilt) for (const column of columns) expected.delete(column);
  }
  return { payload: nested(wire), spoilt, expected };
}

/** An order's date and time of day are two fields, and one moment. */
function placeInDay(wire: ReadonlyMap<string, JsonValue>, expected: Map<string, JsonValue>): void {
  const [clock, local, instant] = [
    wire.get('time'),
    expected.get('created_local'),
    expected.get('created_at'),
  ];
  if (typeof clock !== 'string' || typeof local !== 'string' || typeof instant !== 'string') return;
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const later = (text: string) =>
    new Date(Date.parse(text) + (hours * 60 + minutes) * 60_000).toISOString().slice(0, 19);
  expected.set('created_local', later(`${local}Z`));
  expected.set('created_at', `${later(instant)}Z`);
}

/** `content.name` becomes `name` of `content`, unless that is spoilt itself. Made of entries: `__proto__` is a key. */
function nested(wire: ReadonlyMap<string, JsonValue>): JsonObject {
  const own = [...wire].filter(([name]) => !name.startsWith('content.'));
  const content = wire.get('content');
  if (!isJsonObject(content) || Object.keys(content).length > 0) return Object.fromEntries(own);
  const inner = [...wire].flatMap(([name, value]) =>
    name.startsWith('content.') ? [[name.slice('content.'.length), value] as const] : [],
  );
  return Object.fromEntries([...own, ['content', Object.fromEntries(inner)]]);
}
