/** What is kept of a rejected value: enough to see what is wrong, and nothing of a person. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Fields that hold codes, amounts, dates, numbers, or ids of things, by resource. All others may hold personal data. */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  order: words(
    'status pay_status color currency pay_method summ paid delivery_price discount count weight delivery_id views created time updated',
  ),
  content: words('oid code articul count price total oldprice oldtotal discount'),
  user: words('parent_oid master_oid visible access created updated'),
  group: words('oid parent_oid master_oid type template visible sort access created updated'),
};

/** Any of such fields may hold a name or a phone number by mistake. */
const CODE = /^[A-Z0-9_#-]{1,8}$/;
const FIGURE = /^[-+]?[\d.,:%/ T-]{1,24}$/;
/** With a time or without; what goes on in other ways may be a telephone number. */
const DATE =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})(?:[ T]\d{1,2}(?::\d{1,2}){1,2}(?:[.,]\d+)?)?$/;
const MAX_DIGITS = 6;

/** Rejections carry values up to this length. */
const MAX_LENGTH = 500;

const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Latin}/u, 'Latin'],
  [/\p{Script=Cyrillic}/u, 'Cyrillic'],
  [/(?!\p{Script=Latin}|\p{Script=Cyrillic})\p{L}/u, 'other letters'],
  [/\p{Nd}/u, 'digits'],
  [/[^\p{L}\p{Nd}\s]/u, 'signs'],
];

/**
 * A code, number or date as it is, if the field is one; of anything else the shape, such as "text of 17 characters,
 * Cyrillic, one space".
 *
 * @param value at most 500 characters
 */
export function describeRejectedValue(
  resource: string,
  field: string | null,
  value: string | null,
): string | null {
  if (value === null) return null;
  const isHarmless = field !== null && HARMLESS[resource]?.has(field) === true;
  return isHarmless && looksLikeFigure(value) ? value : describeShape(value);
}

function looksLikeFigure(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  const isShort = digits <= MAX_DIGITS || DATE.test(text);
  return isShort && (CODE.test(text) || FIGURE.test(text));
}

function describeShape(text: string): string {
  const spaces = text.match(/\s/gu)?.length ?? 0;
  return [
    describeLength(text.length),
    ...SCRIPTS.flatMap(([pattern, name]) => (pattern.test(text) ? [name] : [])),
    ...(spaces === 0 ? [] : [spaces === 1 ? 'one space' : `${spaces} spaces`]),
  ].join(', ');
}

function describeLength(length: number): string {
  if (length >= MAX_LENGTH) return `text of ${MAX_LENGTH} characters or more`;
  return length === 1 ? 'text of 1 character' : `text of ${length} characters`;
}
