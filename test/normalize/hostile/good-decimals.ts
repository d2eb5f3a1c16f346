/** Numbers in the ways that shops write them, with what a numeric column must hold: digits moved about, no arithmetic. */
import { type JsonValue, parseJson } from '../../../src/model/json.ts';
import type { Random } from '../../../src/simulator/shop/random.ts';

/** A good value, and the columns in the order of the field's list. */
export type Good = { readonly wire: JsonValue; readonly columns: readonly JsonValue[] };

/** Digits past the column's own, and what they add to its last one: rounded half away from zero. */
const TAILS: readonly [tail: string, carry: bigint][] = [
  ['', 0n],
  ['', 0n],
  ['0', 0n],
  ['4999999999999999999', 0n],
  ['5', 1n],
  ['51', 1n],
];

/** Of any size up to that many bits, small ones as often as large ones. */
export function bigInt(random: Random, bits: number): bigint {
  return ((BigInt(random.bits()) << 32n) | BigInt(random.bits())) >> BigInt(64 - bits + random.below(bits));
}

/** For a column of type numeric(precision, scale). */
export function goodDecimal(random: Random, precision: number, scale: number): Good {
  const units = bigInt(random, 63) % 10n ** BigInt(random.between(1, precision - 1));
  const [whole, decimals] = parts(units, scale);
  const [tail, carry] = random.pick(TAILS);
  const sign = random.chance(0.2) && units > 0n ? '-' : '';
  const plain = `${whole}.${decimals}${tail}`;
  // One comma before three digits may be a mark between thousands: see the tests of amounts.
  const isAmbiguous = whole.length <= 3 && tail.length === 1;
  const exponential = `${units}${tail}e-${scale + tail.length}`;
  const text = isAmbiguous
    ? plain
    : random.pick([plain, plain, exponential, ...grouped(whole, decimals + tail)]);
  const isNumber = text === plain && random.chance(0.5);
  const minus = sign && random.pick(['-', '−']);
  return {
    wire: isNumber ? parseJson(sign + text) : minus + text,
    columns: [sign + parts(units + carry, scale).join('.')],
  };
}

function parts(units: bigint, scale: number): readonly [whole: string, decimals: string] {
  const digits = units.toString().padStart(scale + 1, '0');
  return [digits.slice(0, -scale), digits.slice(-scale)];
}

/** With marks between thousands. */
function grouped(whole: string, decimals: string): readonly string[] {
  const layouts = ['\u00a0,', '\u202f,', ' .', "'."];
  return layouts.map(
    (marks) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, marks.charAt(0)) + marks.charAt(1) + decimals,
  );
}
