/** Extra fields of the order form and of users without what was typed into them. */
import { ERASED_TEXT } from '../../erased.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { parseFields } from '../fields/parse-fields.ts';

/** Which texts of extra fields name no person. */
export type FieldPolicy = {
  isKept(key: string, part: FieldPart, text: string): boolean;
  /** Kept even if it looks like the person's own: so many customers share it that it tells nothing of one. */
  isShared(key: string, part: FieldPart, text: string): boolean;
};

type FieldPart = 'key' | 'name' | 'label' | 'value';

/** Whether a text of a record holds a person, although it is not meant to. */
export type IsPersonal = (text: string) => boolean;

type IsKept = FieldPolicy['isKept'];

/** Stands for a key that is not stored. */
const HIDDEN_KEY = /^erased \d+$/;

/**
 * The fields of an order with hidden texts, in a form that normalizes to the same as the given one: each entry stays, so
 * that figures about fields stay as well.
 *
 * @param fields as the shop sends them, in any form; unreadable ones become null
 * @param isPersonal of texts that the policy keeps
 */
export function hideFields(
  fields: JsonValue,
  policy: FieldPolicy,
  isPersonal: IsPersonal = () => false,
): JsonObject | null {
  const { value } = parseFields(fields);
  if (value === null) return null;
  const isKept: IsKept = (key, part, text) =>
    policy.isShared(key, part, text) || (policy.isKept(key, part, text) && !isPersonal(text));
  const entries = Object.entries(value).map(([key, entry], at): [string, JsonValue] => {
    const isKeyKept = HIDDEN_KEY.test(key) || isKept(key, 'key', key);
    return [
      isKeyKept ? key : `${ERASED_TEXT} ${at + 1}`,
      hideEntry(key, isJsonObject(entry) ? entry : {}, isKept),
    ];
  });
  return Object.fromEntries(entries);
}

function hideEntry(key: string, { value = null, name = null, label = null }: JsonObject, isKept: IsKept) {
  const isTextKept = (part: FieldPart, text: JsonValue) =>
    typeof text === 'string' && isKept(key, part, text);
  return {
    value: isEmpty(value) || isTextKept('value', value) ? value : ERASED_TEXT,
    name: isTextKept('name', name) ? name : null,
    runame: isTextKept('label', label) ? label : null,
  };
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}
