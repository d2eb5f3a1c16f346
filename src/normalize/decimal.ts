/** Exact decimal numbers, parsed from text and rounded without floats. */
import { figureText, TAG } from './shown-text.ts';

/** coefficient x 10^exponent */
export type Decimal = { readonly coefficient: bigint; readonly exponent: number };

export type DecimalOptions = {
  /**
   * Reads one comma before exactly three digits ("1,234") as the decimal mark, not as a thousands separator: for
   * quantities, which have three decimals, unlike money.
   * @default false
   */
  readonly commaIsDecimal?: boolean;
  /** Allows a currency's name, code or sign on either side. @default false */
  readonly currency?: boolean;
};

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
const MONEY_LAYOUTS: readonly Layout[] = [...GROUPED, COMMA_DECIMAL];
const QUANTITY_LAYOUTS: readonly Layout[] = [COMMA_DECIMAL, ...GROUPED];

/** Undefined for text that is not a number in any known notation. */
export function parseDecimal(text: string, options: DecimalOptions = {}): Decimal | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  return parseMachine(text) ?? parseShown(text, options);
}

function parseShown(text: string, options: DecimalOptions): Decimal | undefined {
  const figure = figureText(text).replaceAll(/[’ʼ]/g, "'").replace('−', '-');
  const signed = options.currency ? withoutCurrency(figure) : figure;
  const [, sign = '', unsigned = ''] = /^([+-]?) ?(.*)/.exec(signed) ?? [];
  const decimal =
    parseMachine(unsigned) ??
    parseGrouped(unsigned, options.commaIsDecimal ? QUANTITY_LAYOUTS : MONEY_LAYOUTS);
  if (decimal === undefined || sign !== '-') return decimal;
  return { coefficient: -decimal.coefficient, exponent: decimal.exponent };
}

/** The number as a count of 10^-scale, rounded half away from zero, as PostgreSQL does. */
export function toUnits(decimal: Decimal, scale: number): bigint {
  const shift = decimal.exponent + scale;
  if (shift >= 0) return decimal.coefficient * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  const half = decimal.coefficient < 0n ? -divisor : divisor;
  return (2n * decimal.coefficient + half) / (2n * divisor);
}

/** Undefined when the number has a fraction. */
export function wholeNumber(decimal: Decimal): bigint | undefined {
  if (decimal.exponent >= 0) return toUnits(decimal, 0);
  const divisor = 10n ** BigInt(-decimal.exponent);
  return decimal.coefficient % divisor === 0n ? decimal.coefficient / divisor : undefined;
}

/** A count of 10^-scale as decimal text with that many decimals: `1234.50`. */
export function unitsText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  const decimals = scale === 0 ? '' : `.${digits.slice(point)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${decimals}`;
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

function parseGrouped(text: string, layouts: readonly Layout[]): Decimal | undefined {
  const layout = layouts.find(({ pattern }) => pattern.test(text));
  if (layout === undefined) return undefined;
  const separators = layout.mark === ',' ? /[ '.]/g : /[ ',]/g;
  return parseMachine(text.replaceAll(separators, '').replace(',', '.'));
}

/** Known currency names only, since "5 тыс." or "3 pcs" must not be read as 5 or 3. */
const CODES = Intl.supportedValuesOf('currency').map((code) => code.toLowerCase());
const NAMES =
  'rur byr р руб рубль рубля рублей грн гривна гривны гривен тг тенге сом сум br zł kč kr ft rs лв лей lei dollars euro euros';
const WORDS: ReadonlySet<string> = new Set([...CODES, ...NAMES.split(' ')]);

const CURRENCY = String.raw`(\p{L}{1,10}\.?|[A-Z]{0,3}\p{Sc}[A-Z]{0,3})`;
const BEFORE = new RegExp(`^([+-]? ?)${CURRENCY}[ ${TAG}]*(?=[-+.,]?\\d)`, 'u');
const AFTER = new RegExp(`(?<=\\d[.,]?|[,.]-)[ ${TAG}]*${CURRENCY}$`, 'u');

/** The text without a currency, or a price's dash for no cents; the text itself where there is none. */
function withoutCurrency(text: string): string {
  const isCurrency = (word: string) => /\p{Sc}/u.test(word) || WORDS.has(word.replace('.', '').toLowerCase());
  return text
    .replace(AFTER, (all, word: string) => (isCurrency(word) ? '' : all))
    .replace(/[,.][-–—]$/, '')
    .replace(BEFORE, (all, sign: string, word: string) => (isCurrency(word) ? sign.trim() : all));
}
