/** Currencies written behind an amount. */

/** Known currency names only, since "5 тыс." or "3 pcs" must not be read as 5 or 3. */
const CODES = Intl.supportedValuesOf('currency').map((code) => code.toLowerCase());
const NAMES =
  'rur byr р руб рубль рубля рублей грн гривна гривны гривен тг тенге сом сум br zł kč dollars euro';
const WORDS: ReadonlySet<string> = new Set([...CODES, ...NAMES.split(' ')]);

const AMOUNT_AND_WORD = /^(.*\d[.,]?) ?(\p{Sc}|\p{L}{1,10})\.?$/u;

/** The text without a currency at its end; the text itself where there is none. */
export function stripCurrency(text: string): string {
  const [, amount, word = ''] = AMOUNT_AND_WORD.exec(text) ?? [];
  if (amount === undefined) return text;
  return /^\p{Sc}$/u.test(word) || WORDS.has(word.toLowerCase()) ? amount : text;
}
