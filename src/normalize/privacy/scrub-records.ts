/** Records of the shop without the persons in them. What is not known to be impersonal is left out. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { parseInteger } from '../amounts.ts';
import type { ShopZone } from '../local-time.ts';
import { RARE_CODE, SHORT_CODE, shownCode } from '../../shown-code.ts';
import { parseCode } from '../text.ts';
import { type FieldPolicy, hideFields, type IsPersonal } from './form-fields.ts';
import { figure, type Kept, type KnownFields } from './kept.ts';
import { answerFields, lineFields, orderFields, userFields } from './known-fields.ts';

export type Scrubbing = {
  readonly shop: ShopZone;
  readonly fields: FieldPolicy;
  readonly isPersonal: IsPersonal;
  /** Status codes that are known to be categories, as {@link shownCode}. */
  readonly shownCodes: ReadonlySet<string>;
};

/** Takes the place of a value that its field cannot hold, so that the rejection of the field stays. */
const UNREADABLE = '?';
const SHORT = new RegExp(SHORT_CODE);

/** A list row: without buyer, comment, hash, and whatever the program does not read. */
export function scrubOrder(row: JsonObject, scrubbing: Scrubbing): JsonObject {
  const kept = { ...keepKnown(row, orderFields, scrubbing), ...keepCodes(row, scrubbing) };
  return row['fields'] === undefined
    ? kept
    : { ...kept, fields: hideFields(row['fields'], scrubbing.fields, scrubbing.isPersonal) };
}

const STATUS_FIELDS = ['status', 'pay_status'];

/** Statuses that are no known category become one that says so: the order still has a code of the shop's own. */
function keepCodes(row: JsonObject, { shownCodes }: Pick<Scrubbing, 'shownCodes'>): JsonObject {
  const entries = STATUS_FIELDS.flatMap((field): [string, JsonValue][] => {
    const sent = row[field];
    const { value } = sent === undefined ? { value: null } : parseCode(sent);
    const isKept = value === null || SHORT.test(value) || shownCodes.has(shownCode(field, value));
    return isKept ? [] : [[field, RARE_CODE]];
  });
  return Object.fromEntries(entries);
}

/** The content of an order: its lines alone. */
export function scrubContent(answer: JsonObject, scrubbing: Scrubbing): JsonObject {
  const { ordercontent, content, ...rest } = answer;
  const kept = keepKnown(rest, answerFields, scrubbing);
  const isNested = isJsonObject(content) && content['ordercontent'] !== undefined;
  return {
    ...kept,
    ...(ordercontent === undefined ? {} : { ordercontent: scrubLines(ordercontent, scrubbing) }),
    ...(content === undefined
      ? {}
      : { content: isNested ? scrubContent(content, scrubbing) : scrubLines(content, scrubbing) }),
  };
}

function scrubLines(lines: JsonValue, scrubbing: Scrubbing): JsonValue {
  const scrubLine = (line: JsonValue) => (isJsonObject(line) ? keepKnown(line, lineFields, scrubbing) : null);
  if (isJsonArray(lines)) return lines.map(scrubLine);
  if (!isJsonObject(lines)) return null;
  // The keys of an object are identifiers of lines.
  return Object.fromEntries(Object.entries(lines).map(([key, line]) => [key, scrubLine(line)]));
}

/**
 * A user's record: the account's number, group, level and times, and the fields of `content` that the policy keeps, as far
 * as they do not name the person.
 */
export function scrubUser(record: JsonObject, scrubbing: Scrubbing): JsonObject {
  const { content, ...rest } = record;
  const kept = keepKnown(rest, userFields, scrubbing);
  if (!isJsonObject(content)) return content === undefined ? kept : { ...kept, content: null };
  const entries = Object.entries(content).flatMap(([key, value]): (readonly [string, JsonValue])[] => {
    if (key === 'level') return [[key, keepReadable(value, LEVEL, scrubbing)]];
    const isKept = scrubbing.fields.isKept(key, 'key', key);
    const isValueKept = typeof value !== 'string' || scrubbing.fields.isKept(key, 'value', value);
    if (!isKept || !isValueKept || NEVER_KEPT.has(key)) return [];
    const kept = hideMentions(value, scrubbing.isPersonal);
    return kept === null && value !== null ? [] : [[key, kept]];
  });
  return { ...kept, content: Object.fromEntries(entries) };
}

const LEVEL = figure(parseInteger);
/** Documented fields of a person, whatever the policy says. */
const NEVER_KEPT = new Set(['login', 'email', 'phone', 'name', 'org_name', 'gender', 'address', 'images']);

function keepKnown(record: JsonObject, known: KnownFields, scrubbing: Scrubbing): JsonObject {
  const entries = Object.entries(record).map(([key, value]): [string, JsonValue] => {
    const kept = Object.hasOwn(known, key) ? known[key] : undefined;
    return [key, kept === undefined ? null : keepReadable(value, kept, scrubbing)];
  });
  // The name of an unknown field may be anything, too.
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || Object.hasOwn(known, key)));
}

function keepReadable(value: JsonValue, { parse, isText }: Kept, scrubbing: Scrubbing): JsonValue {
  if (value === null || (typeof value === 'string' && value.trim() === '')) return value;
  const reading = parse(value, scrubbing.shop);
  if (reading.value === null && reading.problems.length > 0) return isText ? null : UNREADABLE;
  return typeof value === 'string' && isText && scrubbing.isPersonal(value) ? null : value;
}

const withoutEdited = (known: KnownFields) =>
  new Set(Object.keys(known).filter((field) => known[field]?.isEdited === false));
/** Known fields that nobody writes into. */
const FIXED = {
  order: withoutEdited(orderFields),
  content: withoutEdited(answerFields),
  line: withoutEdited(lineFields),
  user: withoutEdited(userFields),
};

/** The record of somebody else with null for every text that names a person, at any depth. */
export function withoutMentions(
  kind: 'order' | 'content' | 'user',
  record: JsonObject,
  { fields, isPersonal }: Pick<Scrubbing, 'fields' | 'isPersonal'>,
): JsonObject {
  const known = FIXED[kind];
  const entries = Object.entries(record).map(([key, value]): [string, JsonValue] => {
    if (kind === 'order' && STATUS_FIELDS.includes(key)) {
      return [key, typeof value === 'string' && isPersonal(value) ? RARE_CODE : value];
    }
    // Identifiers and amounts may look like phone numbers.
    if (known.has(key)) return [key, value];
    if (kind === 'order' && key === 'fields') return [key, withoutFieldMentions(value, fields, isPersonal)];
    return [key, hideMentions(value, isPersonal)];
  });
  return Object.fromEntries(entries);
}

/** Serialized fields stay as they are unless they must be changed. */
function withoutFieldMentions(fields: JsonValue, policy: FieldPolicy, isPersonal: Scrubbing['isPersonal']) {
  if (typeof fields === 'string' && !isPersonal(fields)) return fields;
  return typeof fields === 'string'
    ? hideFields(fields, policy, isPersonal)
    : hideMentions(fields, isPersonal);
}

function hideMentions(value: JsonValue, isPersonal: Scrubbing['isPersonal']): JsonValue {
  if (typeof value === 'string') return isPersonal(value) ? null : value;
  if (isJsonArray(value)) return value.map((element) => hideMentions(element, isPersonal));
  if (!isJsonObject(value)) return value !== null && isPersonal(JSON.stringify(value)) ? null : value;
  const entries = Object.entries(value).flatMap(([key, entry]): [string, JsonValue][] => {
    if (isPersonal(key)) return [];
    return [[key, FIXED.line.has(key) ? entry : hideMentions(entry, isPersonal)]];
  });
  return Object.fromEntries(entries);
}
