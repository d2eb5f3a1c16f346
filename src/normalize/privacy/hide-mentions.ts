/** Records of somebody who is stored, without the contacts of those who are not. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { HIDDEN_CODE } from '../../shown-code.ts';
import { parseFields } from '../parse-fields.ts';
import { LINE_FIELDS, LINE_TEXTS } from '../line-fields.ts';
import { ORDER_FIELDS } from '../order-fields.ts';
import { toSentFields, USER_FIGURES } from './divide-records.ts';
import type { IsPersonal } from './names-person.ts';

export const CODE_FIELDS = ['status', 'pay_status'] as const;

const texts: ReadonlySet<string> = new Set(LINE_TEXTS);
/** Fields that nobody writes into: identifiers and amounts may look like phone numbers. */
const LINE_FIGURES = new Set(Object.keys(LINE_FIELDS).filter((name) => !texts.has(name)));
const UNEDITED = {
  order: new Set(Object.entries(ORDER_FIELDS).flatMap(([name, { kept }]) => (kept.isEdited ? [] : [name]))),
  content: new Set(['order_id', 'oid', 'success']),
  user: USER_FIGURES,
};

/** @returns the record with null for every text that names a person, at any depth; keys that do are left out */
export function hideMentions(
  kind: 'order' | 'content' | 'user',
  record: JsonObject,
  isPersonal: IsPersonal,
): JsonObject {
  const codes: ReadonlySet<string> = new Set(kind === 'order' ? CODE_FIELDS : []);
  const entries = Object.entries(record).map(([name, value]): [string, JsonValue] => {
    if (codes.has(name)) return [name, typeof value === 'string' && isPersonal(value) ? HIDDEN_CODE : value];
    if (UNEDITED[kind].has(name)) return [name, value];
    const isSerialized = kind === 'order' && name === 'fields' && typeof value === 'string';
    if (!isSerialized) return [name, hideIn(value, isPersonal)];
    return [name, isPersonal(value) ? hideIn(toSentFields(parseFields(value).value), isPersonal) : value];
  });
  return Object.fromEntries(entries.filter(([name]) => !isPersonal(name)));
}

/** @returns null for every text that names a person; keys that do are left out */
export function hideIn(value: JsonValue, isPersonal: IsPersonal): JsonValue {
  if (typeof value === 'string') return isPersonal(value) ? null : value;
  if (isJsonArray(value)) return value.map((element) => hideIn(element, isPersonal));
  if (!isJsonObject(value)) return value !== null && isPersonal(JSON.stringify(value)) ? null : value;
  const entries = Object.entries(value).flatMap(([key, entry]): [string, JsonValue][] => {
    if (isPersonal(key)) return [];
    return [[key, LINE_FIGURES.has(key) && mayBeFigure(entry) ? entry : hideIn(entry, isPersonal)]];
  });
  return Object.fromEntries(entries);
}

/** No figure is an e-mail address. */
function mayBeFigure(value: JsonValue): boolean {
  if (typeof value === 'string') return !value.includes('@');
  return !isJsonArray(value) && !isJsonObject(value);
}
