/**
 * Divides the shop's records: what is known to be impersonal, which `raw` and the tables keep, and all else, which lives with the
 * person. Both together are the record as it was sent, so that it can be normalized again.
 */
import { isRefused } from '../../model/broken-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, scalarText } from '../../model/json.ts';
import { HIDDEN_CODE } from '../../model/status-codes.ts';
import type { LineRow, OrderPerson } from '../../warehouse/schema/orders.ts';
import { type SearchedText, TEXTS } from '../../warehouse/schema/texts.ts';
import type { UserRow } from '../../warehouse/schema/users.ts';
import { GROUP_FIELDS } from '../group.ts';
import { LINE_FIELDS } from '../lines.ts';
import { ORDER_FIELDS, PERSON_FIELDS } from '../order-fields.ts';
import { isPresent } from '../record-reader.ts';
import type { Rejection } from '../rejection.ts';
import { USER_FIELDS } from '../user.ts';

/** Takes the place of what cannot be read, and may name a person: no parser reads it either. */
const UNREADABLE: JsonObject = {};

/** Whether a rejection is of a value that was left out, since it was rejected before. */
export const isLeftOut = ({ value }: Rejection) => value === JSON.stringify(UNREADABLE);

/** How a field that is read is stored apart from persons. */
type ReadField = {
  readonly columns: readonly string[];
  /** The column of a text that is searched for persons. */
  readonly text: { readonly column: string; readonly kind: SearchedText } | undefined;
};

/** A kind of record: fields that are read, and columns of the person by their fields. */
type RecordKind = {
  readonly fields: ReadonlyMap<string, ReadField>;
  readonly persons: ReadonlyMap<string, string>;
};

/** @param writers of each column of text, by whom it is known what to look for in it */
function recordKind(
  fields: ReadonlyMap<string, readonly string[]>,
  writers: Readonly<Record<string, SearchedText | 'program'>>,
  persons: ReadonlyMap<string, readonly string[]> = new Map(),
): RecordKind {
  const read = fields.entries().map(([name, columns]): [string, ReadField] => {
    const texts = columns.flatMap((column) => {
      const kind = writers[column] ?? 'program';
      return kind === 'program' ? [] : [{ column, kind }];
    });
    // The rest of a line's key is read from it.
    const others = columns.includes('line_oid') ? ['spec_hash'] : [];
    return [name, { columns: [...columns, ...others], text: texts[0] }];
  });
  const columnOf = persons.entries().map(([name, columns]) => [name, columns.join()] as const);
  return { fields: new Map(read), persons: new Map(columnOf) };
}

export const ORDER = recordKind(ORDER_FIELDS, TEXTS.orders, PERSON_FIELDS);
export const GROUP = recordKind(GROUP_FIELDS, TEXTS.userGroups);
export const LINE = recordKind(LINE_FIELDS, TEXTS.orderLines);
const USER = recordKind(USER_FIELDS, TEXTS.users, new Map([['content', ['content']]]));

/** Whether a text of that column holds a person. */
export type IsFound = (text: string, kind: SearchedText, column: string) => boolean;

type Row = Readonly<Record<string, unknown>>;

/** What was made of a record. `row`: undefined where nothing of it could be read. */
type ReadRecord<Made> = {
  readonly row: Made;
  /** Columns of the person, if there are any. */
  readonly person?: Row | undefined;
  /** Undefined where it is not known which are of this record. */
  readonly rejections: readonly Rejection[] | undefined;
};

/** A record in two parts, and its row without persons. `rest`: null where nothing is left. */
type Divided<Made> = { readonly row: Made; readonly known: JsonObject; readonly rest: JsonObject | null };

/**
 * What could not be read is not known to be impersonal. Of a text that holds a person the column is null, of a code {@link
 * HIDDEN_CODE}, which stands in `known` too.
 */
export function divide<Made extends Row | undefined>(
  kind: RecordKind,
  sent: JsonObject,
  { row, person, rejections }: ReadRecord<Made>,
  isFound: IsFound,
): Divided<Made> {
  const isRejected = (name: string) => rejections?.some(({ field }) => field === name) ?? true;
  const known: Record<string, JsonValue> = {};
  const rest: [name: string, value: JsonValue][] = [];
  const withheld: ReadField[] = [];
  for (const [name, value] of Object.entries(sent)) {
    const field = kind.fields.get(name);
    if (field === undefined) {
      const column = kind.persons.get(name);
      const isColumn = column !== undefined && isStored(name, value, person?.[column]) && !isRejected(name);
      if (value !== null && !isColumn) rest.push([name, value]);
    } else if (row !== undefined && holdsPerson(field, row, isFound)) {
      withheld.push(field);
      known[name] = isStandIn(value) ? value : standInFor(field, value);
      if (!isStandIn(value)) rest.push([name, value]);
    } else if (row === undefined ? isNobody(value, isFound) : isRead(field, row, value, isRejected(name)))
      known[name] = value;
    else {
      known[name] = UNREADABLE;
      rest.push([name, value]);
    }
  }
  return {
    row: row === undefined || withheld.length === 0 ? row : withoutTexts(row, withheld),
    known,
    rest: orNull(rest),
  };
}

const orNull = (entries: readonly (readonly [string, JsonValue])[]) =>
  entries.length === 0 ? null : Object.fromEntries(entries);

/** Whether texts of a stored row hold a person. */
export function isFoundInRow(kind: RecordKind, row: Row, isFound: IsFound): boolean {
  return kind.fields.values().some((field) => holdsPerson(field, row, isFound));
}

function holdsPerson({ text: field }: ReadField, row: Row, isFound: IsFound): boolean {
  const text = field && row[field.column];
  if (field === undefined || typeof text !== 'string' || text === '') return false;
  return isStandIn(text) || isFound(text, field.kind, field.column);
}

const isStandIn = (value: unknown) => typeof value === 'string' && value.endsWith(HIDDEN_CODE);

function standInFor({ text }: ReadField, value: JsonValue): string {
  // The product number before it identifies no person.
  const product = text?.column === 'line_oid' ? /^\d*_/.exec(scalarText(value) ?? '')?.[0] : undefined;
  return (product ?? '') + HIDDEN_CODE;
}

function withoutTexts<Made extends Row>(row: Made, withheld: readonly ReadField[]): Made {
  const nulls = withheld.flatMap(({ columns, text }) =>
    columns.map((column) => [column, text?.kind === 'code' ? HIDDEN_CODE : null] as const),
  );
  const count = 'withheld' in row ? { withheld: withheld.length } : {};
  return { ...row, ...Object.fromEntries(nulls), ...count };
}

function isRead({ columns }: ReadField, row: Row, value: JsonValue, isRejected: boolean): boolean {
  return !isPresent(value) || !isRejected || columns.some((column) => (row[column] ?? '') !== '');
}

/** Of a record of which nothing was read, so that a later version can read it. */
function isNobody(value: JsonValue, isFound: IsFound): boolean {
  const text = scalarText(value);
  return text !== undefined && !isFound(text, 'note', '');
}

/**
 * Whether a column of a person holds a value as it was sent.
 *
 * @param read what the column gets; what PostgreSQL refuses of its JSON is removed where it is written
 */
function isStored(name: string, value: JsonValue, read: unknown): boolean {
  if (typeof read === 'object' && read !== null && isRefused(JSON.stringify(read))) return false;
  return value === null || typeof value === 'string' || name === 'fields' || name === 'content';
}

/** The record as it was sent, or as much of it as is stored. @param columns of the person */
function join(
  kind: RecordKind,
  known: JsonObject,
  columns: Readonly<Record<string, JsonValue>>,
  rest: JsonValue,
): JsonObject {
  const typed = kind.persons.entries().map(([name, column]) => [name, columns[column] ?? null] as const);
  const others = isJsonObject(rest) ? Object.entries(rest) : [];
  // A value that was hidden since is null.
  const left = [...typed, ...others].filter(([, value]) => value !== null);
  return { ...known, ...Object.fromEntries(left) };
}

export function joinOrder(known: JsonObject, person: OrderPerson, rest: JsonValue): JsonObject {
  return join(ORDER, known, person, rest);
}

/** A user's record. The rest of `content` is stored as a whole. */
export function divideUser<Made extends UserRow | undefined>(
  sent: JsonObject,
  read: ReadRecord<Made>,
  isFound: IsFound,
): Divided<Made> {
  const divided = divide(USER, sent, read, isFound);
  const level = isJsonObject(sent['content']) ? (sent['content']['level'] ?? null) : null;
  if ((read.row?.level ?? null) === null) return divided;
  return { ...divided, known: { ...divided.known, content: { level } } };
}

export function joinUser(known: JsonObject, content: JsonValue, rest: JsonValue): JsonObject {
  const figures = isJsonObject(known['content']) ? known['content'] : {};
  return join(USER, known, { content: isJsonObject(content) ? { ...figures, ...content } : null }, rest);
}

/**
 * The answer for an order's lines, wherever they stand in it: `known` has them in `ordercontent`, with the fields of the catalogue.
 *
 * @param lines undefined where it has none
 * @param rows made of them
 */
export function divideContent(
  { ordercontent: _lines, content, ...others }: JsonObject,
  lines: readonly JsonValue[] | undefined,
  rows: readonly LineRow[],
  isFound: IsFound,
) {
  const { ordercontent: _nested, ...around } = isJsonObject(content) ? content : {};
  const rest = Object.entries({ ...around, ...others }).filter(([, value]) => value !== null);
  const byNumber = new Map(rows.map((row) => [row.line_no, row]));
  const parts = (lines ?? []).map((line, at) => {
    const row = byNumber.get(at + 1);
    if (!isJsonObject(line)) return { row, known: null, rest: line };
    return divide(LINE, line, { row, rejections: undefined }, isFound);
  });
  const left = orNull(
    parts.flatMap((part, at) => (part.rest === null ? [] : [[String(at), part.rest] as const])),
  );
  return {
    rows: parts.flatMap(({ row }) => row ?? []),
    known: lines === undefined ? {} : { ordercontent: parts.map(({ known }) => known) },
    rest: orNull(left === null ? rest : [...rest, ['ordercontent', left]]),
  };
}

/** The answer with its lines in `ordercontent`, or as much of it as is stored. */
export function joinContent(known: JsonObject, rest: JsonValue): JsonObject {
  const { ordercontent: left = null, ...others } = isJsonObject(rest) ? rest : {};
  const lines = known['ordercontent'];
  if (!isJsonArray(lines)) return { ...others, ...known };
  const joined = lines.map((line, at) => {
    const part = isJsonObject(left) ? (left[String(at)] ?? null) : null;
    return isJsonObject(line) ? join(LINE, line, {}, part) : (part ?? line);
  });
  return { ...others, ordercontent: joined };
}
