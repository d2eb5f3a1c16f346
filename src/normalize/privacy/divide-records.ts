/**
 * Divides the shop's records: what is known to be impersonal, which `raw` keeps, and all else, which lives with the person.
 * Both together are the record as it was sent, so that it can be normalized again.
 */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { CODE_FORM } from '../../model/status-codes.ts';
import { TEXTS } from '../../warehouse/schema/texts.ts';
import { GROUP_FIELDS } from '../group.ts';
import { LINE_FIELDS } from '../lines.ts';
import { ORDER_FIELDS, type OrderPerson, type OrderRow, PERSON_FIELDS } from '../order-fields.ts';
import { isDescribed } from '../parse-fields.ts';
import { isPresent, type Parse } from '../record-reader.ts';
import type { Rejection } from '../rejection.ts';
import type { UserRow } from '../user.ts';

/** A record in two parts. `rest`: null where nothing is left. */
export type Divided = { readonly known: JsonObject; readonly rest: JsonObject | null };

/** Takes the place of a figure that cannot be read, and that may be a person's name. */
export const UNREADABLE = '?';

type Entries = [name: string, value: JsonValue][];

/** Defines own properties whatever their names: a shop may send any key, such as `__proto__`. */
function divided(known: Entries, rest: Entries): Divided {
  return { known: Object.fromEntries(known), rest: rest.length === 0 ? null : Object.fromEntries(rest) };
}

const orderFields = new Map(
  Object.entries(ORDER_FIELDS).map(([name, { fills }]) => {
    const columns = Object.keys(fills);
    const isText = columns.some((column) => Object.hasOwn(TEXTS.orders, column));
    return [name, { columns, unreadable: isText ? null : UNREADABLE }];
  }),
);

/** @param rejections of the row's fields: what could not be read is not known to be impersonal */
export function divideOrder(sent: JsonObject, row: OrderRow, rejections: readonly Rejection[]): Divided {
  const [known, rest]: [Entries, Entries] = [[], []];
  const rejected = new Set(rejections.map(({ field }) => field));
  const columns: Readonly<Record<string, unknown>> = row;
  for (const [name, value] of Object.entries(sent)) {
    const field = orderFields.get(name);
    if (field !== undefined) {
      const isEmpty = () => field.columns.every((column) => (columns[column] ?? '') === '');
      const isRefused = rejected.has(name) && isEmpty() && !isHarmless(value);
      known.push([name, isRefused ? field.unreadable : value]);
      if (isRefused) rest.push([name, value]);
    } else if (!Object.hasOwn(PERSON_FIELDS, name) || rejected.has(name)) {
      rest.push([name, value]);
    } else if (name !== 'fields' && typeof value !== 'string' && value !== null) rest.push([name, value]);
  }
  return divided(known, rest);
}

/**
 * What is known to be impersonal of a record that cannot be normalized: figures, and texts in which nobody is found.
 *
 * @param fields those that the program reads
 */
export function keepUnread(
  sent: JsonObject,
  fields: object,
  isImpersonal: (text: string) => boolean,
): JsonObject {
  const entries = Object.entries(sent).filter(([name, value]) => {
    if (!Object.hasOwn(fields, name)) return false;
    return isFigure(value) || (typeof value === 'string' && isImpersonal(value));
  });
  return Object.fromEntries(entries);
}

/** The parts of a group: nobody keeps the rest. */
export function divideGroup(sent: JsonObject, row: object): JsonObject {
  const columns = new Map(Object.entries(row));
  const entries = Object.entries(GROUP_FIELDS).flatMap(([name, { fills }]): Entries => {
    const value = sent[name];
    if (value === undefined) return [];
    const isRead =
      isFigure(value) || Object.keys(fills).some((column) => (columns.get(column) ?? null) !== null);
    return [[name, isRead ? value : UNREADABLE]];
  });
  return Object.fromEntries(entries);
}

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

const CONTENT_FIGURES: ReadonlySet<string> = new Set(['order_id', 'oid', 'success']);

/** What takes the place of a text of a line that is not known to be impersonal; undefined: it is. */
export type StandIn = (field: string, value: JsonValue) => string | undefined;

/** The answer for an order's lines: known are its lines, and in them the fields of the catalogue. */
export function divideContent(answer: JsonObject, standIn: StandIn = () => undefined): Divided {
  const [known, rest]: [Entries, Entries] = [[], []];
  const add = (name: string, part: DividedPart) => {
    known.push([name, part.known]);
    if (part.rest !== null) rest.push([name, part.rest]);
  };
  for (const [name, value] of Object.entries(answer)) {
    if (CONTENT_FIGURES.has(name) && isFigure(value)) known.push([name, value]);
    else if (name === 'ordercontent') add(name, divideLines(value, standIn));
    else if (name === 'content') {
      const isNested = isJsonObject(value) && value['ordercontent'] !== undefined;
      add(name, isNested ? divideContent(value, standIn) : divideLines(value, standIn));
    } else rest.push([name, value]);
  }
  return divided(known, rest);
}

type DividedPart = { readonly known: JsonValue; readonly rest: JsonValue };

function divideLines(lines: JsonValue, standIn: StandIn): DividedPart {
  if (!isJsonArray(lines) && !isJsonObject(lines)) {
    return isPresent(lines) ? { known: null, rest: lines } : { known: lines, rest: null };
  }
  // Most hold nothing else, and are not copied.
  if (Object.values(lines).every((line) => isJsonObject(line) && isOfCatalogue(line, standIn))) {
    return { known: lines, rest: null };
  }
  const parts = Object.entries(lines).map(([at, line]) => {
    return [at, isJsonObject(line) ? divideLine(line, standIn) : { known: null, rest: line }] as const;
  });
  const { known, rest } = divided(
    parts.map(([at, part]) => [at, part.known]),
    parts.flatMap(([at, part]): Entries => (part.rest === null ? [] : [[at, part.rest]])),
  );
  return { known: isJsonArray(lines) ? Object.values(known) : known, rest };
}

function isOfCatalogue(line: JsonObject, standIn: StandIn): boolean {
  return Object.entries(line).every(
    ([name, value]) => canRead(name, value) && standIn(name, value) === undefined,
  );
}

function divideLine(line: JsonObject, standIn: StandIn): Divided {
  const [known, rest]: [Entries, Entries] = [[], []];
  for (const [name, value] of Object.entries(line)) {
    const isReadable = canRead(name, value);
    const instead = isReadable ? standIn(name, value) : UNREADABLE;
    if (isReadable && instead === undefined) known.push([name, value]);
    else {
      if (value !== instead) rest.push([name, value]);
      if (lineFields.has(name)) known.push([name, instead ?? UNREADABLE]);
    }
  }
  return divided(known, rest);
}

const lineFields = new Map(
  Object.entries(LINE_FIELDS).map(([name, { fills }]): [string, readonly Parse<unknown>[]] => [
    name,
    Object.values(fills),
  ]),
);

function canRead(name: string, value: JsonValue): boolean {
  const parsers = lineFields.get(name);
  return parsers !== undefined && (isFigure(value) || parsers.some((parse) => parse(value).value !== null));
}

const FIGURE = /^[\s\d.,:%+-]{0,64}$/;

const MAX_DIGITS = 6;
const DATE =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:\s+\d{1,2}(?::\d{1,2}){1,2}(?:\.\d+)?)?$/;

/** A date, or so few digits that they are no phone number. */
function isHarmless(value: JsonValue): boolean {
  if (typeof value !== 'string' || !FIGURE.test(value)) return false;
  return DATE.test(value.trim()) || value.replaceAll(/\D/g, '').length <= MAX_DIGITS;
}

/** Nothing, or something without letters. */
function isFigure(value: JsonValue): boolean {
  if (typeof value === 'string') return FIGURE.test(value);
  return !isJsonArray(value) && !isJsonObject(value);
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

/** Of an account: its numbers, states and times. */
const USER_FIGURES: ReadonlySet<string> = new Set(
  'oid parent_oid master_oid visible access created updated success'.split(' '),
);
const USER_STATES: ReadonlySet<string> = new Set(['visible', 'access']);
const STATE = new RegExp(CODE_FORM);

/**
 * A user's record: known are the figures of the account and its level. The rest of `content` is stored as a whole.
 *
 * @param row undefined: no field was read
 * @param rejections of the row's fields: what could not be read is not known to be impersonal
 */
export function divideUser(
  sent: JsonObject,
  row: UserRow | undefined,
  rejections: readonly Rejection[],
): Divided {
  const [known, rest]: [Entries, Entries] = [[], []];
  const rejected = new Set(rejections.map(({ field }) => field));
  for (const [name, value] of Object.entries(sent)) {
    if (name === 'content') {
      const level = isJsonObject(value) ? (value['level'] ?? null) : null;
      const isRefused = row === undefined ? !isFigure(level) : rejected.has('content.level');
      known.push([name, { level: isRefused ? UNREADABLE : level }]);
      if (rejected.has(name)) rest.push([name, value]);
    } else if (!USER_FIGURES.has(name)) rest.push([name, value]);
    else {
      const isText = USER_STATES.has(name);
      const isRead = row !== undefined && name !== 'success' && (!isText || isState(value));
      const isKnown = (isFigure(value) || isRead) && !rejected.has(name);
      const kept = isKnown ? value : isText ? null : UNREADABLE;
      known.push([name, kept]);
      if (kept !== value) rest.push([name, value]);
    }
  }
  return divided(known, rest);
}

function isState(value: JsonValue): boolean {
  return typeof value === 'string' && STATE.test(value);
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
