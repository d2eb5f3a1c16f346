/** Exact numbers, as text: identifiers, and amounts that are rounded without floats to the scale of their column, so that they compare as text. */
import { decimalText } from '../model/decimal.ts';
import { readId } from '../model/id.ts';
import { type JsonValue, scalarText } from '../model/json.ts';
import { accepted, type Parse, type Reading, refused } from './record-reader.ts';
import { figureText, TAG } from './shown-text.ts';

export const NOT_AN_ID = 'not a whole number in the range of 64 bits';

/** Reads an identifier from a number or from digits. */
export function parseId(value: JsonValue): Reading<string> {
  const id = readId(value);
  return id === undefined ? refused(NOT_AN_ID) : accepted(id);
}

/** coefficient x 10^exponent */
type Decimal = { readonly coefficient: bigint; readonly exponent: number };

type DecimalOptions = {
  /**
   * Reads one comma before exactly three digits ("1,234") as the decimal mark, not as a thousands separator: for
   * quantities, which have three decimals, unlike money.
   * @default false
   */
  readonly commaIsDecimal?: boolean;
  /** Allows a currency's name, code or sign on either side. @default false */
  readonly currency?: boolean;
};

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

/** numeric(7,4) from text that ends with a percent sign; null without a rejection from any other. */
export function parsePercent(value: JsonValue): Reading<string> {
  const text = typeof value === 'string' ? figureText(value) : '';
  return text.endsWith('%') ? percentColumn(text.slice(0, -1)) : accepted<string>(null);
}

const INT4_LIMIT = 2n ** 31n;
const NOT_INT4 = 'not a whole number in the range of 32 bits';

/** A 32-bit integer; "3.0" is one. */
export function parseInteger(value: JsonValue): Reading<number> {
  const decimal = parseDecimal(scalarText(value) ?? '');
  if (decimal === undefined) return refused(NOT_INT4);
  const whole = toUnits(decimal, 0);
  const isWhole = decimal.exponent >= 0 || whole * 10n ** BigInt(-decimal.exponent) === decimal.coefficient;
  return isWhole && whole >= -INT4_LIMIT && whole < INT4_LIMIT ? accepted(Number(whole)) : refused(NOT_INT4);
}

function numericColumn(
  precision: number,
  scale: number,
  options: DecimalOptions,
  reasons: { readonly invalid: string; readonly tooLarge: string },
): Parse<string> {
  const limit = 10n ** BigInt(precision);
  return (value) => {
    const decimal = parseDecimal(scalarText(value) ?? '', options);
    if (decimal === undefined) return refused(reasons.invalid);
    const units = toUnits(decimal, scale);
    return units > -limit && units < limit ? accepted(decimalText(units, scale)) : refused(reasons.tooLarge);
  };
}

/** Bounds the work; nobody writes longer numbers. */
const MAX_TEXT_LENGTH = 256;
/** Beyond it a number is either zero or out of every column's range. */
const MAX_EXPONENT = 1000;

/** As programs write numbers. A lone dot is always the decimal mark: "1.234" is not a thousand. */
const MACHINE = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

type Layout = { readonly pattern: RegExp; readonly mark: '.' | ',' };
const COMMA_DECIMAL: Layout = { pattern: /^\d*,\d*$/, mark: ',' };
/** As people write numbers; the first match counts. Groups of thousands have exactly three digits. */
const GROUPED: readonly Layout[] = [
  { pattern: /^\d{1,3}(?:([ '])\d{3})(?:\1\d{3})*(?:\.\d*)?$/, mark: '.' },
  { pattern: /^\d{1,3}(?:([ '])\d{3})(?:\1\d{3})*,\d*$/, mark: ',' },
  { pattern: /^\d{1,3}(?:\.\d{3})+(?:,\d*)?$/, mark: ',' },
  { pattern: /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/, mark: '.' },
];

/** Undefined for text that is not a number in any known notation. */
function parseDecimal(text: string, options: DecimalOptions = {}): Decimal | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  return parseMachine(text) ?? parseShown(text, options);
}

function parseShown(text: string, { currency, commaIsDecimal }: DecimalOptions): Decimal | undefined {
  const figure = figureText(text).replaceAll(/[’ʼ]/g, "'").replace('−', '-');
  const [, sign = '', unsigned = ''] =
    /^([+-]?) ?(.*)/.exec(currency ? withoutCurrency(figure) : figure) ?? [];
  const layouts = commaIsDecimal ? [COMMA_DECIMAL, ...GROUPED] : [...GROUPED, COMMA_DECIMAL];
  const mark = layouts.find(({ pattern }) => pattern.test(unsigned))?.mark;
  const grouped = mark && unsigned.replaceAll(mark === ',' ? /[ '.]/g : /[ ',]/g, '').replace(',', '.');
  const decimal = parseMachine(unsigned) ?? parseMachine(grouped ?? '');
  if (decimal === undefined || sign !== '-') return decimal;
  return { coefficient: -decimal.coefficient, exponent: decimal.exponent };
}

function parseMachine(text: string): Decimal | undefined {
  const [, whole = '', fraction = '', power = 0] = MACHINE.exec(text) ?? [];
  if (whole === '' && fraction === '') return undefined;
  const exponent = Number(power) - fraction.length;
  return {
    coefficient: BigInt(whole + fraction),
    exponent: Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent)),
  };
}

/** The number as a count of 10^-scale, rounded half away from zero, as PostgreSQL does. */
function toUnits({ coefficient, exponent }: Decimal, scale: number): bigint {
  const shift = exponent + scale;
  if (shift >= 0) return coefficient * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  const half = coefficient < 0n ? -divisor : divisor;
  return (2n * coefficient + half) / (2n * divisor);
}

/** Known currencies only, since "5 тыс." or "3 pcs" must not be read as 5 or 3. */
const CURRENCIES: ReadonlySet<string> = new Set([
  ...Intl.supportedValuesOf('currency'),
  ...'RUR BYR Р РУБ ГРН ТГ KČ KR FT ZŁ'.split(' '),
]);
const CURRENCY = String.raw`(\p{L}{1,5}\.?|[A-Z]{0,3}\p{Sc}[A-Z]{0,3})`;
const BEFORE = new RegExp(`^([+-]? ?)${CURRENCY}[ ${TAG}]*(?=[-+.,]?\\d)`, 'u');
const AFTER = new RegExp(`(?<=\\d[.,]?|[,.]-)[ ${TAG}]*${CURRENCY}$`, 'u');

/** The text without a currency, or a price's dash for no cents; the text itself where there is none. */
function withoutCurrency(text: string): string {
  const isCurrency = (word: string) =>
    /\p{Sc}/u.test(word) || CURRENCIES.has(word.replace('.', '').toUpperCase());
  return text
    .replace(AFTER, (all, word: string) => (isCurrency(word) ? '' : all))
    .replace(/[,.][-–—]$/, '')
    .replace(BEFORE, (all, sign: string, word: string) => (isCurrency(word) ? sign.trim() : all));
}
