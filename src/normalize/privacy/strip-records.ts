/** What is left of records that are stored without their person, or without the contacts of somebody who is not stored. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { CODE_FORM, HIDDEN_CODE } from '../../model/status-codes.ts';
import { LINE_FIELDS, LINE_TEXTS } from '../lines.ts';
import { ORDER_FIELDS, type OrderRow } from '../order-fields.ts';
import { parseFields } from '../parse-fields.ts';
import { decodeEntities, mayHoldContact } from '../shown-text.ts';
import { scalarText } from '../text.ts';
import { CONTENT_FIGURES, toSentFields, USER_FIGURES } from './divide-records.ts';

/** Whether a text of a record holds a person, although it is not meant to. */
export type IsPersonal = (text: string) => boolean;

/** Long enough to be looked for inside of words, since names are inflected; shorter ones must be a word of their own. */
const MIN_STEM = 5;
const MIN_WORD = 3;
/** Of scripts without blanks between words, where a name is a character or two. */
const DENSE_NAME = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;
const WORD = /[\p{L}\p{M}]+/gu;
/** Phone numbers are compared by so many last digits, which all spellings share. */
const PHONE_END = 7;

/** @returns a test for the record's names, contacts, address and comment, and for any e-mail address */
export function namesPerson(record: JsonObject): IsPersonal {
  const read = (...fields: readonly string[]) =>
    fields.flatMap((field) => {
      // Servers send a phone number as a number, too.
      const text = scalarText(record[field] ?? null);
      return text === undefined ? [] : [decodeEntities(text).trim().toLowerCase()];
    });
  const names = read('fio', 'name', 'org_name');
  const words = new Set(names.flatMap((name) => name.match(WORD) ?? []));
  const whole = read('fio', 'name', 'login', 'email', 'phone', 'address', 'comment');
  const parts = [
    ...whole.filter((text) => text.length >= MIN_STEM),
    ...[...words].filter((word) => word.length >= MIN_STEM),
    ...names.flatMap((name) => name.match(DENSE_NAME) ?? []),
  ];
  const phones = read('phone')
    .map((text) => text.replaceAll(/\D/g, '').slice(-PHONE_END))
    .filter((end) => end.length === PHONE_END);
  const short = new Set([...words].filter((word) => word.length >= MIN_WORD));
  return (text) => {
    const searched = decodeEntities(text).toLowerCase();
    return (
      searched.includes('@') ||
      phones.some((end) => searched.replaceAll(/\D/g, '').includes(end)) ||
      parts.some((part) => searched.includes(part)) ||
      (searched.match(WORD) ?? []).some((word) => short.has(word))
    );
  };
}

/** Columns of an order into which somebody may have typed a person, and the fields that fill them. */
const TEXTS = [
  ['color', 'color'],
  ['currency', 'currency'],
  ['pay_method', 'pay_method'],
  ['discount_raw', 'discount'],
  ['delivery_name', 'delivery'],
  ['order_hash', 'hash'],
] as const;
const CODES = [
  ['status_code', 'status'],
  ['pay_status_code', 'pay_status'],
] as const;
const CODE_FIELDS: ReadonlySet<string> = new Set(CODES.map(([, field]) => field));

export type TypedColumns = Pick<OrderRow, (typeof TEXTS | typeof CODES)[number][0]>;

/** What to write instead: columns, and fields of the payload. */
export type Replaced = {
  readonly columns: Partial<TypedColumns>;
  readonly fields: JsonObject;
};

type StripOptions = {
  /** Whether only what looks like it should is kept. */
  readonly checksForm: boolean;
  /** Whether a text names the person of the order, or holds a contact. */
  readonly isPersonal: IsPersonal;
  /** Whether a code of {@link CODES} is a documented one, or one that the owner classified. */
  readonly isKnownCode: (column: string, code: string) => boolean;
};

const looksLikeCode = new RegExp(CODE_FORM);

export function stripOrder(
  row: TypedColumns,
  { checksForm, isPersonal, isKnownCode }: StripOptions,
): Replaced {
  const columns: { -readonly [Column in keyof TypedColumns]?: TypedColumns[Column] } = {};
  const fields: Record<string, JsonValue> = {};
  for (const [column, field] of TEXTS) {
    const text = row[column];
    if (text === null) continue;
    const fits = !checksForm || ORDER_FIELDS[field].kept.fits?.(text) !== false;
    if (!fits || isPersonal(text)) [columns[column], fields[field]] = [null, null];
  }
  const codes = hideCodes(row, (column, code) => {
    if (isKnownCode(column, code)) return false;
    return !looksLikeCode.test(code) || mayHoldContact(code) || isPersonal(code);
  });
  return { columns: { ...columns, ...codes.columns }, fields: { ...fields, ...codes.fields } };
}

/** @param isHidden of a code of a column */
export function hideCodes(
  row: Pick<OrderRow, (typeof CODES)[number][0]>,
  isHidden: (column: string, code: string) => boolean,
): Replaced {
  const hidden = CODES.filter(
    ([column]) => row[column] !== '' && row[column] !== HIDDEN_CODE && isHidden(column, row[column]),
  );
  return {
    columns: Object.fromEntries(hidden.map(([column]) => [column, HIDDEN_CODE])),
    fields: Object.fromEntries(hidden.map(([, field]) => [field, HIDDEN_CODE])),
  };
}

/** The typed columns of somebody else's order, without the person's contacts. */
export function hideInColumns(row: TypedColumns, isMention: IsPersonal): Replaced {
  const isKnownCode = (_column: string, code: string) => !isMention(code);
  return stripOrder(row, { checksForm: false, isPersonal: isMention, isKnownCode });
}

/** Of extra fields those that are kept; a value or label that names the person becomes null. */
export function keepFields(
  fields: JsonValue,
  kept: ReadonlySet<string>,
  isPersonal: IsPersonal,
): JsonObject | null {
  if (!isJsonObject(fields)) return null;
  const entries = Object.entries(fields).flatMap(([name, entry]): [string, JsonValue][] =>
    kept.has(name) ? [[name, hideIn(entry, isPersonal)]] : [],
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Documented fields of a person, whatever the settings say. */
const NEVER_KEPT = new Set('login email phone name org_name gender address images'.split(' '));

/** Of a user's profile the fields that are kept, as far as they do not name the person. */
export function keepProfile(
  content: JsonValue,
  kept: ReadonlySet<string>,
  isPersonal: IsPersonal,
): JsonObject | null {
  const allowed = kept.difference(NEVER_KEPT);
  return keepFields(content, allowed, isPersonal);
}

const texts: ReadonlySet<string> = new Set(LINE_TEXTS);
/** Fields of lines that nobody writes into: identifiers and amounts may look like phone numbers. */
const LINE_FIGURES: ReadonlySet<string> = new Set(
  Object.keys(LINE_FIELDS).filter((name) => !texts.has(name)),
);
const NO_FIGURES: ReadonlySet<string> = new Set();
const UNEDITED = {
  order: new Set(Object.entries(ORDER_FIELDS).flatMap(([name, { kept }]) => (kept.isEdited ? [] : [name]))),
  content: CONTENT_FIGURES,
  user: USER_FIGURES,
};

/** @returns the record with null for every text that names a person, at any depth; keys that do are left out */
export function hideMentions(
  kind: 'order' | 'content' | 'user',
  record: JsonObject,
  isPersonal: IsPersonal,
): JsonObject {
  const entries = Object.entries(record).map(([name, value]): [string, JsonValue] => {
    if (kind === 'order' && CODE_FIELDS.has(name))
      return [name, isPersonal(scalarText(value) ?? '') ? HIDDEN_CODE : value];
    if (UNEDITED[kind].has(name)) return [name, value];
    const isSerialized = kind === 'order' && name === 'fields' && typeof value === 'string';
    if (!isSerialized)
      return [name, hideIn(value, isPersonal, kind === 'content' ? LINE_FIGURES : NO_FIGURES)];
    return [name, hideInText(value, isPersonal)];
  });
  return Object.fromEntries(entries.filter(([name]) => !isPersonal(name)));
}

/** Serialized fields: their text may spell a contact otherwise than they do. They stay a text where nothing is hidden. */
function hideInText(text: string, isPersonal: IsPersonal): JsonValue {
  const fields = toSentFields(parseFields(text).value);
  const hidden = hideIn(fields, isPersonal);
  return JSON.stringify(hidden) === JSON.stringify(fields) && !isPersonal(text) ? text : hidden;
}

/**
 * @param figures names of fields that are left as they are
 * @returns null for every text that names a person, but for codes, which are hidden; keys that do are left out
 */
export function hideIn(value: JsonValue, isPersonal: IsPersonal, figures = NO_FIGURES): JsonValue {
  if (typeof value === 'string') return isPersonal(value) ? null : value;
  if (isJsonArray(value)) return value.map((element) => hideIn(element, isPersonal, figures));
  if (!isJsonObject(value)) return isPersonal(JSON.stringify(value)) ? null : value;
  const entries = Object.entries(value).flatMap(([key, entry]): [string, JsonValue][] => {
    if (isPersonal(key)) return [];
    const isFigure = figures.has(key) && mayBeFigure(entry);
    const hidden = isFigure ? entry : hideIn(entry, isPersonal, figures);
    return [[key, hidden === null && entry !== null && CODE_FIELDS.has(key) ? HIDDEN_CODE : hidden]];
  });
  return Object.fromEntries(entries);
}

/** No figure is an e-mail address. */
function mayBeFigure(value: JsonValue): boolean {
  if (typeof value === 'string') return !value.includes('@');
  return !isJsonArray(value) && !isJsonObject(value);
}
