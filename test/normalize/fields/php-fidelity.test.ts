/** Maps as PHP serializes them, from the wire to the column, against a serializer of this test's own. */
import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../../src/model/json.ts';
import { parseFields } from '../../../src/normalize/parse-fields.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { inBytes, inCharacters, type Serializable, serialize } from './serialize.ts';
import { IS_LONG } from '../../support/long.ts';

const MAPS = IS_LONG ? 10_000 : 2_000;

const MARKS = `'||a|"|;|";|";}|{|}|:|%|\\|\\"|\n|\r\n|\t|\u00a0|\u2028|s:3:"abc";|a:1:{i:0;N;}|N;|O:8:"stdClass":0:{}`;
const PIECES = `${MARKS}|Жёлтый|😀|€|中文|<b>|e\u0301|🏳️‍🌈`.split('|');
const NUMBERS = [0, 1, -1, -7, 2_147_483_648, -9_007_199_254_740_991, 0.5, -1234.25, 0.001, -0.75, 1e-5];

function anyText(random: Random): string {
  return Array.from({ length: random.below(4) }, () => random.pick(PIECES)).join('');
}

function anyValue(random: Random, depth: number): Serializable {
  const kind = random.below(depth < 4 ? 9 : 5);
  if (kind < 2) return anyText(random);
  if (kind === 2) return random.pick(NUMBERS);
  if (kind === 3) return random.chance(0.5);
  if (kind === 4) return null;
  if (kind < 7) return Array.from({ length: random.below(4) }, () => anyValue(random, depth + 1));
  return anyMap(random, depth + 1);
}

function anyMap(random: Random, depth: number): { readonly [key: string]: Serializable } {
  const keys = Array.from({ length: random.between(1, 4) }, (_, at) => `k${at}${anyText(random)}`);
  // Numeric keys that make no list, and entries as shops describe them.
  if (random.chance(0.2)) keys.push('7', '-3');
  return Object.fromEntries(keys.map((key) => [key, anyValue(random, depth)]));
}

/** Entries of a map: bare, or described by value, name and runame. */
function anyFields(random: Random) {
  const bare = Object.entries(anyMap(random, 0)).map(([key, value]) => {
    const isBare = typeof value !== 'object' || value === null || isList(value);
    return isBare ? [[key, value, { value, name: null, label: null }] as const] : [];
  });
  const described = Array.from({ length: random.between(1, 3) }, (_, at) => {
    const [value, name, label] = [anyValue(random, 1), anyText(random), anyText(random)];
    const entry = {
      value,
      name: name.trim() === '' ? null : name,
      label: label.trim() === '' ? null : label,
    };
    return [`field ${at}${anyText(random)}`, { value, name, runame: label }, entry] as const;
  });
  const entries = [...bare.flat(), ...described];
  return {
    wire: Object.fromEntries(entries.map(([key, sent]) => [key, sent])),
    fields: Object.fromEntries(entries.map(([key, , held]) => [key, held])),
  };
}

test(`${MAPS} maps are read exactly, the lengths of their texts counted in bytes and in characters`, () => {
  const tally = { maps: 0, multibyte: 0 };
  const property = fc.property(fc.nat(), (seed) => {
    const { wire, fields } = anyFields(new Random(seed, 'fields'));
    const held = { value: exact(fields), problems: [] };
    const inEachWay = [serialize(wire, inBytes), serialize(wire, inCharacters)];
    for (const text of inEachWay) {
      const reading = parseFields(text);
      // Compared twice, since the first is faster and the second tells what differs.
      if (!isDeepStrictEqual(reading, held)) expect(reading).toEqual(held);
    }
    tally.maps += 1;
    tally.multibyte += Number(new Set(inEachWay).size === 2);
  });
  fc.assert(property, { numRuns: MAPS });
  process.stdout.write(`fields: ${JSON.stringify(tally)}\n`);
  expect(tally.maps).toBe(MAPS);
  expect(tally.multibyte).toBeGreaterThan(MAPS / 2);
});

/** With the numbers as a parser keeps them that loses no digit. */
function exact(value: Serializable): JsonValue {
  if (typeof value === 'number') return parseJson(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(exact);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, exact(entry)]));
}

function isList(value: Serializable): value is readonly Serializable[] {
  return Array.isArray(value);
}
