/** Extra fields of the order form and of users without what was typed into them. */
import { ERASED_TEXT } from '../../erased.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { parseFields } from '../fields/parse-fields.ts';

/** Which texts of extra fields name no person. */
export type FieldPolicy = {
  isKept(key: string, part: 'key' | 'name' | 'label' | 'value', text: string): boolean;
};

/** Stands for a key that is not stored. */
const HIDDEN_KEY = /^erased \d+$/;

/**
 * The fields of an order with hidden texts, in a form that normalizes to the same as the given one: each entry stays, so
 * that figures about fields stay as well.
 *
 * @param fields as the shop sends them, in any form; unreadable ones become null
 */
export function hideFields(fields: JsonValue, policy: FieldPolicy): JsonObject | null {
  const { value } = parseFields(fields);
  if (value === null) return null;
  const entries = Object.entries(value).map(([key, entry], at): [string, JsonValue] => {
    const isKeyKept = HIDDEN_KEY.test(key) || policy.isKept(key, 'key', key);
    return [
      isKeyKept ? key : `${ERASED_TEXT} ${at + 1}`,
      hideEntry(key, isJsonObject(entry) ? entry : {}, policy),
    ];
  });
  return Object.fromEntries(entries);
}

function hideEntry(
  key: string,
  { value = null, name = null, label = null }: JsonObject,
  policy: FieldPolicy,
) {
  const isKept = (part: 'name' | 'label' | 'value', text: JsonValue) =>
    typeof text === 'string' && policy.isKept(key, part, text);
  return {
    value: isEmpty(value) || isKept('value', value) ? value : ERASED_TEXT,
    name: isKept('name', name) ? name : null,
    runame: isKept('label', label) ? label : null,
  };
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}
