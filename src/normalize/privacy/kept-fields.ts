/** What stays of persons who are not stored, or who mention somebody who must not be. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';

/** Whether a text holds somebody. */
type IsFound = (text: string) => boolean;

/** Of extra fields those that are kept; a value or label that holds somebody becomes null. */
export function keepFields(
  fields: JsonValue,
  kept: ReadonlySet<string>,
  isFound: IsFound,
): JsonObject | null {
  if (!isJsonObject(fields)) return null;
  const entries = Object.entries(fields).flatMap(([name, entry]): [string, JsonValue][] =>
    kept.has(name) ? [[name, hideIn(entry, isFound)]] : [],
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Documented fields of a person, whatever the settings say. */
const NEVER_KEPT = new Set('login email phone name org_name gender address images'.split(' '));

/** Of a user's profile the fields that are kept, in the same way. */
export function keepProfile(
  content: JsonValue,
  kept: ReadonlySet<string>,
  isFound: IsFound,
): JsonObject | null {
  const allowed = kept.difference(NEVER_KEPT);
  return keepFields(content, allowed, isFound);
}

/** @returns null for every text that holds somebody, at any depth; keys that do are left out */
export function hideIn(value: JsonValue, isFound: IsFound): JsonValue {
  if (typeof value === 'string') return isFound(value) ? null : value;
  if (isJsonArray(value)) return value.map((element) => hideIn(element, isFound));
  if (!isJsonObject(value)) return isFound(JSON.stringify(value)) ? null : value;
  const entries = Object.entries(value).filter(([key]) => !isFound(key));
  return Object.fromEntries(entries.map(([key, entry]) => [key, hideIn(entry, isFound)]));
}
