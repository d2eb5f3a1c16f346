/** What may be shown of a value that could not be understood: nothing by which a person can be known. */

/** Fields that hold codes, amounts, dates, numbers, or identifiers of things. All others may speak of a person. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  order:
    'status pay_status color currency pay_method summ paid delivery_price discount count weight delivery_id views created time updated'.split(
      ' ',
    ),
  content: 'oid code articul count price total oldprice oldtotal discount'.split(' '),
  user: 'parent_oid master_oid visible access created updated'.split(' '),
  group: 'oid parent_oid master_oid type template visible sort access created updated'.split(' '),
};

/** No code, amount or date is longer: what is, has come into the wrong field. */
const MAX_SHOWN = 32;
/** Values are kept up to this length. */
const MAX_KEPT = 500;

/** The value itself where its field cannot hold personal data, and otherwise how long it is. */
export function sampleText(resource: string, field: string | null, value: string | null): string {
  if (value === null) return 'nothing';
  const isShown = field !== null && SHOWN[resource]?.includes(field) === true && isHarmless(value);
  return isShown ? value : shapeOf(value);
}

/** The key of the record, where it is a number: a user may be known by a login or an e-mail address. */
export function sampleKey(sourceKey: string | null): string | null {
  return sourceKey !== null && /^\d{1,19}$/.test(sourceKey) ? sourceKey : null;
}

/** An e-mail address, a list or an object is none of what these fields are for. */
function isHarmless(value: string): boolean {
  return value.length <= MAX_SHOWN && !/[@{["\p{Cc}]/u.test(value);
}

function shapeOf(value: string): string {
  const characters =
    value.length >= MAX_KEPT ? `${MAX_KEPT} characters or more` : `${value.length} characters`;
  return value.length === 1 ? 'text of 1 character' : `text of ${characters}`;
}
