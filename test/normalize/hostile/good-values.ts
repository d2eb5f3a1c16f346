/** Good values of each kind in the ways that shops write them, with what their columns must hold. */
import { parseJson } from '../../../src/model/json.ts';
import type { Random } from '../../../src/simulator/shop/random.ts';
import { inBytes, inCharacters, serialize } from '../fields/serialize.ts';
import type { FieldKind } from './fields.ts';
import { bigInt, type Good, goodDecimal } from './good-decimals.ts';

/** Three hours ahead of UTC all year round, so that the instant is a subtraction. */
export const TIMEZONE = 'Etc/GMT-3';
const OFFSET_MS = 3 * 3_600_000;

/** The user who is asked for. */
export const USER = '7';

const WORDS = [
  'Anna',
  'Жёлтый чай',
  '"x"; }',
  "O'Neil",
  '😀',
  'a\nb',
  '\\u0041',
  '{"a":1}',
  '100%',
  'ﬁn',
  ' x ',
];

export const GOOD: { readonly [Kind in FieldKind]: (random: Random) => Good } = {
  id: (random) => goodId(random, bigInt(random, 63)),
  'own id': (random) => ({ wire: random.pick([7, '7', ' 07 ']), columns: [USER] }),
  // Neither nobody nor the guest.
  buyer: (random) => goodId(random, 7n + bigInt(random, 62)),
  money: (random) => goodDecimal(random, 14, 2),
  quantity: (random) => goodDecimal(random, 14, 3),
  integer: (random) => {
    const value = (random.bits() | 0) >> random.below(31);
    return { wire: random.pick([value, String(value), `${value}.0`]), columns: [value] };
  },
  text: goodText,
  trimmed: (random) => {
    const text = random.pick(WORDS).trim();
    return { wire: random.pick([text, ` ${text}\n`]), columns: [text] };
  },
  code: (random) => ({ wire: random.pick(['HP', ' HP ']), columns: ['HP'] }),
  flag: (random) =>
    random.pick([{ wire: true, columns: ['true'] }, { wire: 1, columns: ['1'] }, goodText(random)]),
  discount: (random) => {
    const percent = random.between(0, 9_999_999);
    const digits = String(percent).padStart(5, '0');
    const text = `${digits.slice(0, -4)}.${digits.slice(-4)}`;
    return { wire: `${text}%`, columns: [`${text}%`, text] };
  },
  fields: goodFields,
  created: (random) => {
    const at = goodInstant(random);
    const day = iso(at).slice(0, 10);
    const midnight = Date.parse(`${day}T00:00:00Z`);
    return { wire: dotted(day), columns: [day, iso(midnight), utc(midnight)] };
  },
  clock: (random) => {
    const text = iso(goodInstant(random)).slice(11, 16);
    // Without the date, which is another field.
    return { wire: text, columns: [] };
  },
  time: (random) => {
    const at = goodInstant(random);
    const wire = random.pick([
      iso(at),
      iso(at).replace('T', ' '),
      `${dotted(iso(at).slice(0, 10))}  ${iso(at).slice(11)}`,
    ]);
    return { wire, columns: [iso(at), utc(at)] };
  },
  'line oid': (random) => {
    const product = bigInt(random, 63).toString();
    const hash = random.pick([random.hex(8), 'a_b', '']);
    return { wire: `${product}_${hash}`, columns: [`${product}_${hash}`, product, hash || null] };
  },
  object: () => ({ wire: {}, columns: [] }),
  array: (random) => {
    const images = [{ path: random.pick(WORDS), length: random.below(9) }];
    return { wire: images, columns: [images] };
  },
};

function goodId(random: Random, id: bigint): Good {
  const digits = id.toString();
  return { wire: random.pick([parseJson(digits), digits, ` ${digits} `, `00${digits}`]), columns: [digits] };
}

function goodText(random: Random): Good {
  const text = `${random.pick(WORDS)}${random.pick(WORDS)}`;
  return { wire: text, columns: [text] };
}

function goodFields(random: Random): Good {
  const [value, label] = [random.pick(WORDS), random.pick(WORDS)];
  const wire = { время: { value, name: 'время', runame: label }, n: random.below(100) };
  const text = random.pick([serialize(wire, inBytes), serialize(wire, inCharacters), JSON.stringify(wire)]);
  const map = { время: { value, name: 'время', label }, n: { value: wire.n, name: null, label: null } };
  return { wire: text, columns: [map] };
}

/** Milliseconds of a local time, as if it were UTC, with whole minutes. */
function goodInstant(random: Random): number {
  return Math.floor(Date.UTC(1971, 0, 1) / 60_000 + random.next() * 120_000_000) * 60_000;
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

function utc(localMs: number): string {
  return `${iso(localMs - OFFSET_MS)}Z`;
}

function dotted(day: string): string {
  return day.split('-').toReversed().join('.');
}
