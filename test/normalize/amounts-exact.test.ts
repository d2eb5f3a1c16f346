/** Amounts against the same arithmetic in integers. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseJson } from '../../src/model/json.ts';
import { parseMoney } from '../../src/normalize/numbers.ts';

const NBSP = '\u00a0';

/** Digits with a mark between thousands. */
function grouped(digits: string, mark: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+$)/g, mark);
}

/** Rounded half away from zero, in integers. */
function expectedMoney(unscaled: bigint, decimals: number): string {
  const divisor = 10n ** BigInt(Math.max(0, decimals - 2));
  const factor = 10n ** BigInt(Math.max(0, 2 - decimals));
  const size = unscaled < 0n ? -unscaled : unscaled;
  const remainder = size % divisor;
  const cents = (size / divisor) * factor + (2n * remainder >= divisor && remainder > 0n ? 1n : 0n);
  const sign = unscaled < 0n && cents > 0n ? '-' : '';
  return `${sign}${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

function isInRange(amount: string): boolean {
  return amount.replace('-', '').length <= '999999999999.99'.length;
}

test('every layout of every amount gives the exact amount, rounded half away from zero', () => {
  const layouts = ['|.', ' |,', ' |.', `${NBSP}|,`, '.|,', ',|.', "'|.", '|,'];
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      // Three decimals behind a lone comma are the ambiguous case, which has a table of its own.
      fc.constantFrom(1, 2, 4, 5, 6, 8, 12),
      fc.constantFrom(...layouts),
      fc.constantFrom('', ' ₽', ' руб.', ' EUR'),
      (unscaled, decimals, layout, currency) => {
        const [group = '', mark = ''] = layout.split('|');
        const digits = String(unscaled)
          .replace('-', '')
          .padStart(decimals + 1, '0');
        const whole = grouped(digits.slice(0, -decimals), group);
        const text = `${unscaled < 0n ? '-' : ''}${whole}${mark}${digits.slice(-decimals)}${currency}`;
        const expected = expectedMoney(unscaled, decimals);
        expect(parseMoney(text).value, text).toBe(isInRange(expected) ? expected : null);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a JSON number is read by its digits, not as a double', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
      fc.integer({ min: 7, max: 20 }),
      fc.integer({ min: -3, max: 3 }),
      (coefficient, decimals, power) => {
        const value = parseJson(`${coefficient}e${power - decimals}`);
        const expected = expectedMoney(coefficient, decimals - power);
        expect(parseMoney(value).value).toBe(isInRange(expected) ? expected : null);
      },
    ),
  );
});
