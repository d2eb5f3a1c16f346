/** Parsers of numeric columns. Values are decimal text in the column's own scale, so that they compare as text. */
import type { JsonValue } from '../model/json.ts';
import {
  type Decimal,
  type DecimalOptions,
  parseDecimal,
  toUnits,
  unitsText,
  wholeNumber,
} from './decimal.ts';
import { accepted, type Parse, type Reading, refused } from './record-reader.ts';
import { figureText } from './shown-text.ts';
import { scalarText } from './text.ts';

/** numeric(14,2). "1,234" is above a thousand: money has at most two decimals. */
export const parseMoney: Parse<string> = numericColumn(
  14,
  2,
  { currency: true },
  { invalid: 'not an amount of money', tooLarge: 'an amount of money beyond 12 digits' },
);

/** numeric(14,3): weights and counts. "1,234" is below two: they have three decimals. */
export const parseQuantity: Parse<string> = numericColumn(
  14,
  3,
  { commaIsDecimal: true },
  { invalid: 'not a quantity', tooLarge: 'a quantity beyond 11 digits' },
);

const percentColumn: Parse<string> = numericColumn(
  7,
  4,
  { commaIsDecimal: true },
  { invalid: 'not a percentage', tooLarge: 'a percentage beyond 3 digits' },
);

const INT4_LIMIT = 2n ** 31n;
const NOT_INT4 = 'not a whole number in the range of 32 bits';

/** numeric(7,4) from text that ends with a percent sign; null without a rejection from any other. */
export function parsePercent(value: JsonValue): Reading<string> {
  const text = typeof value === 'string' ? figureText(value) : '';
  return text.endsWith('%') ? percentColumn(text.slice(0, -1)) : accepted<string>(null);
}

/** A 32-bit integer; "3.0" is one. */
export function parseInteger(value: JsonValue): Reading<number> {
  const decimal = toDecimal(value);
  const whole = decimal && wholeNumber(decimal);
  const isInRange = whole !== undefined && whole >= -INT4_LIMIT && whole < INT4_LIMIT;
  return isInRange ? accepted(Number(whole)) : refused(NOT_INT4);
}

function numericColumn(
  precision: number,
  scale: number,
  options: DecimalOptions,
  reasons: { readonly invalid: string; readonly tooLarge: string },
): Parse<string> {
  const limit = 10n ** BigInt(precision);
  return (value) => {
    const decimal = toDecimal(value, options);
    if (decimal === undefined) return refused(reasons.invalid);
    const units = toUnits(decimal, scale);
    return units > -limit && units < limit ? accepted(unitsText(units, scale)) : refused(reasons.tooLarge);
  };
}

function toDecimal(value: JsonValue, options?: DecimalOptions): Decimal | undefined {
  const text = scalarText(value);
  return text === undefined ? undefined : parseDecimal(text, options);
}
