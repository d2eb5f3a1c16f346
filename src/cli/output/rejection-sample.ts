/** Shows rejected values without personal data. */

/** Fields that hold codes, amounts, dates, numbers, or ids of things. All others may hold personal data. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  order:
    'status pay_status color currency pay_method summ paid delivery_price discount count weight delivery_id views created time updated'.split(
      ' ',
    ),
  content: 'oid code articul count price total oldprice oldtotal discount'.split(' '),
  user: 'parent_oid master_oid visible access created updated'.split(' '),
  group: 'oid parent_oid master_oid type template visible sort access created updated'.split(' '),
};

/** No code, amount or date is longer. */
const MAX_SHOWN = 32;
/** Stored values are cut to this length. */
const MAX_KEPT = 500;

/** The value where its field cannot hold personal data, otherwise its length. */
export function sampleText(resource: string, field: string | null, value: string | null): string {
  if (value === null) return 'nothing';
  const isShown = field !== null && SHOWN[resource]?.includes(field) === true && isHarmless(value);
  return isShown ? value : describeLength(value);
}

/** The record's key if it is a number: a user's may be a login or an e-mail address. */
export function sampleKey(sourceKey: string | null): string | null {
  return sourceKey !== null && /^\d{1,19}$/.test(sourceKey) ? sourceKey : null;
}

/** No e-mail address, list or object. */
function isHarmless(value: string): boolean {
  return value.length <= MAX_SHOWN && !/[@{["\p{Cc}]/u.test(value);
}

function describeLength(value: string): string {
  const characters =
    value.length >= MAX_KEPT ? `${MAX_KEPT} characters or more` : `${value.length} characters`;
  return value.length === 1 ? 'text of 1 character' : `text of ${characters}`;
}
