/** Records of the shop without the persons in them. What is not known to be impersonal is left out. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { parseInteger, parseMoney, parseQuantity } from '../amounts.ts';
import { parseId } from '../id.ts';
import { parseClock, parseLocalDate, parseLocalTime, type ShopZone } from '../local-time.ts';
import { accepted, type Parse, refused } from '../reading.ts';
import { parseFlag, parseText } from '../text.ts';
import { type FieldPolicy, hideFields } from './form-fields.ts';

export type Scrubbing = {
  readonly shop: ShopZone;
  readonly fields: FieldPolicy;
  /** Whether a text of the record that is not meant to hold personal data holds some. */
  readonly isPersonal: (text: string) => boolean;
};

type Known = Readonly<Record<string, Parse<unknown>>>;

/** Takes the place of a value that its field cannot hold, so that the rejection of the field stays. */
const UNREADABLE = '?';
const LONGEST_CODE = 64;

/** A code or a text that the shop made, not the buyer. */
const shopText: Parse<string> = (value) => {
  const reading = parseText(value);
  return (reading.value?.length ?? 0) > LONGEST_CODE * 4 ? refused('') : reading;
};
const code: Parse<string> = (value) => {
  const reading = parseFlag(value);
  return (reading.value?.length ?? 0) > LONGEST_CODE ? refused('') : reading;
};
const number: Parse<unknown> = (value) =>
  typeof value === 'boolean' ? accepted<unknown>(value) : parseInteger(value);

/** Of these, the sign would be a text like any other. */
const TEXTS: ReadonlySet<Parse<unknown>> = new Set([shopText, code]);

const orderFields = ({ shop }: Pick<Scrubbing, 'shop'>): Known => ({
  order_id: parseId,
  ...stamps(shop),
  time: parseClock,
  status: code,
  pay_status: code,
  color: code,
  currency: code,
  pay_method: code,
  summ: parseMoney,
  paid: parseMoney,
  delivery_price: parseMoney,
  discount: code,
  count: parseInteger,
  weight: parseQuantity,
  delivery: shopText,
  delivery_id: parseId,
  master_oid: parseId,
  views: parseInteger,
});

const lineFields: Known = {
  oid: shopText,
  code: shopText,
  name: shopText,
  articul: shopText,
  count: parseQuantity,
  price: parseMoney,
  total: parseMoney,
  oldprice: parseMoney,
  oldtotal: parseMoney,
  discount: code,
};

const answerFields: Known = { order_id: parseId, oid: parseId, success: number };

const userFields = ({ shop }: Pick<Scrubbing, 'shop'>): Known => ({
  oid: parseId,
  parent_oid: parseId,
  master_oid: parseId,
  visible: code,
  access: code,
  ...stamps(shop),
  success: number,
});

function stamps(shop: ShopZone): Known {
  return {
    created: (value) => parseLocalDate(value, shop),
    updated: (value) => parseLocalTime(value, shop),
  };
}

/** A list row: without buyer, comment, hash, and whatever is not documented. */
export function scrubOrder(row: JsonObject, scrubbing: Scrubbing): JsonObject {
  const kept = keepKnown(row, orderFields(scrubbing), scrubbing);
  return row['fields'] === undefined
    ? kept
    : { ...kept, fields: hideFields(row['fields'], scrubbing.fields) };
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

/** A user's record: the account's number, group, level and times, and the fields of `content` that the policy keeps. */
export function scrubUser(record: JsonObject, scrubbing: Scrubbing): JsonObject {
  const { content, ...rest } = record;
  const kept = keepKnown(rest, userFields(scrubbing), scrubbing);
  if (!isJsonObject(content)) return content === undefined ? kept : { ...kept, content: null };
  const entries = Object.entries(content).flatMap(([key, value]): (readonly [string, JsonValue])[] => {
    if (key === 'level') return [[key, keepReadable(value, parseInteger, scrubbing)]];
    const isKept = scrubbing.fields.isKept(key, 'key', key);
    const isValueKept = typeof value !== 'string' || scrubbing.fields.isKept(key, 'value', value);
    return isKept && isValueKept && !NEVER_KEPT.has(key) ? [[key, value]] : [];
  });
  return { ...kept, content: Object.fromEntries(entries) };
}

/** Documented fields of a person, whatever the policy says. */
const NEVER_KEPT = new Set(['login', 'email', 'phone', 'name', 'org_name', 'gender', 'address', 'images']);

function keepKnown(record: JsonObject, known: Known, scrubbing: Scrubbing): JsonObject {
  const entries = Object.entries(record).map(([key, value]): [string, JsonValue] => {
    const parse = Object.hasOwn(known, key) ? known[key] : undefined;
    return [key, parse === undefined ? null : keepReadable(value, parse, scrubbing)];
  });
  // The name of an unknown field may be anything, too.
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || Object.hasOwn(known, key)));
}

function keepReadable(value: JsonValue, parse: Parse<unknown>, { isPersonal }: Scrubbing): JsonValue {
  if (value === null || (typeof value === 'string' && value.trim() === '')) return value;
  const reading = parse(value);
  if (reading.value === null && reading.problems.length > 0) return TEXTS.has(parse) ? null : UNREADABLE;
  return typeof value === 'string' && isPersonal(value) ? null : value;
}

/** Known texts that the owner of the shop writes, and may have put a contact into. */
const WRITTEN = new Set(['delivery', 'name', 'articul', 'code']);

/** The record of somebody else with null for every text that names a person, at any depth. */
export function withoutMentions(
  kind: 'order' | 'content' | 'user',
  record: JsonObject,
  { shop, fields, isPersonal }: Scrubbing,
): JsonObject {
  const known = { order: orderFields({ shop }), content: answerFields, user: userFields({ shop }) }[kind];
  const entries = Object.entries(record).map(([key, value]): [string, JsonValue] => {
    // Identifiers and amounts may look like phone numbers.
    if (Object.hasOwn(known, key) && !WRITTEN.has(key)) return [key, value];
    if (kind === 'order' && key === 'fields') return [key, withoutFieldMentions(value, fields, isPersonal)];
    return [key, hideMentions(value, isPersonal)];
  });
  return Object.fromEntries(entries);
}

/** Serialized fields stay as they are unless they must be changed. */
function withoutFieldMentions(fields: JsonValue, policy: FieldPolicy, isPersonal: Scrubbing['isPersonal']) {
  if (typeof fields === 'string' && !isPersonal(fields)) return fields;
  return typeof fields === 'string' ? hideFields(fields, policy) : hideMentions(fields, isPersonal);
}

const FIGURES = new Set(Object.keys(lineFields).filter((key) => !WRITTEN.has(key)));

function hideMentions(value: JsonValue, isPersonal: Scrubbing['isPersonal']): JsonValue {
  if (typeof value === 'string') return isPersonal(value) ? null : value;
  if (isJsonArray(value)) return value.map((element) => hideMentions(element, isPersonal));
  if (!isJsonObject(value)) return value !== null && isPersonal(JSON.stringify(value)) ? null : value;
  const entries = Object.entries(value).flatMap(([key, entry]): [string, JsonValue][] => {
    if (isPersonal(key)) return [];
    return [[key, FIGURES.has(key) ? entry : hideMentions(entry, isPersonal)]];
  });
  return Object.fromEntries(entries);
}
