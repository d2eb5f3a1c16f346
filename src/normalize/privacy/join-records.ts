/** Puts the shop's records together again, of the parts that `divide-records.ts` makes. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { type OrderPerson, PERSON_FIELDS } from '../order-fields.ts';
import { isDescribed } from '../parse-fields.ts';

/** The row as it was sent, or as much of it as is stored. */
export function joinOrder(known: JsonObject, person: OrderPerson, rest: JsonValue): JsonObject {
  const columns: Readonly<Record<string, JsonValue>> = { ...person, fields: toSentFields(person.fields) };
  const typed = Object.entries(PERSON_FIELDS).flatMap(([name, { fills }]): [string, JsonValue][] =>
    Object.keys(fills).flatMap((column) => {
      const value = columns[column] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
  return { ...known, ...Object.fromEntries(typed), ...restOver(known, rest) };
}

/** What is stored with the person, without what was hidden there since: the known part says that it is. */
function restOver(known: JsonObject, rest: JsonValue): JsonObject {
  if (!isJsonObject(rest)) return {};
  const entries = Object.entries(rest).filter(
    ([name, value]) => value !== null || !Object.hasOwn(known, name),
  );
  return Object.fromEntries(entries);
}

/** Fields as a shop may send them: the label has another name there, and without name and label it is a bare value. */
export function toSentFields(fields: JsonValue): JsonValue {
  if (!isJsonObject(fields)) return fields;
  const entries = Object.entries(fields).map(([name, entry]): [string, JsonValue] => {
    if (!isJsonObject(entry)) return [name, entry];
    const { label = null, ...others } = entry;
    const { value = null } = others;
    // A value that looks like a described one was one level deeper.
    const isBare = label === null && (others['name'] ?? null) === null && !isDescribed(value);
    return [name, isBare ? value : { ...others, runame: label }];
  });
  return Object.fromEntries(entries);
}

/** The answer as it was sent, or as much of it as is stored. */
export function joinContent(known: JsonObject, rest: JsonValue): JsonObject {
  const joined = join(known, rest);
  return isJsonObject(joined) ? joined : known;
}

function join(known: JsonValue, rest: JsonValue | undefined): JsonValue {
  if (rest === undefined || rest === null) return known;
  if (!isJsonObject(rest) || (!isJsonObject(known) && !isJsonArray(known))) return rest;
  if (isJsonArray(known)) return known.map((element, at) => join(element, rest[String(at)]));
  const own = (name: string) => (Object.hasOwn(known, name) ? (known[name] ?? null) : null);
  const added = Object.entries(rest).map(([name, value]) => [name, join(own(name), value)]);
  return { ...known, ...Object.fromEntries(added) };
}

/** The record as it was sent, or as much of it as is stored. */
export function joinUser(known: JsonObject, content: JsonValue, rest: JsonValue): JsonObject {
  const { content: figures = null, ...account } = known;
  const level = isJsonObject(figures) ? (figures['level'] ?? null) : null;
  const profile = isJsonObject(content) ? content : null;
  const joined = level === null ? profile : { level, ...profile };
  const isSent = joined !== null || Object.hasOwn(known, 'content');
  return { ...account, ...(isSent ? { content: joined } : {}), ...restOver(known, rest) };
}
