/**
 * Divides the shop's records: what is known to be impersonal, which `raw` and the tables keep, and all else, which lives with the
 * person. Both together are the record as it was sent, so that it can be normalized again.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { HIDDEN_CODE } from '../../model/status-codes.ts';
import { type SearchedText, TEXTS } from '../../warehouse/schema/texts.ts';
import { GROUP_FIELDS } from '../group.ts';
import { LINE_FIELDS, type LineRow } from '../lines.ts';
import { ORDER_FIELDS, PERSON_FIELDS } from '../order-fields.ts';
import { isPresent } from '../record-reader.ts';
import type { Rejection } from '../rejection.ts';
import { scalarText } from '../text.ts';
import { USER_FIELDS, type UserRow } from '../user.ts';

/** Takes the place of a figure that cannot be read, and that may be a person's name. */
export const UNREADABLE = '?';

/** How a field that is read is stored apart from persons. */
type ReadField = {
  readonly columns: readonly string[];
  /** The column of a text that is searched for persons. */
  readonly text: { readonly column: string; readonly kind: SearchedText } | undefined;
  /** Takes its place where it cannot be read: any text would be one of a text. */
  readonly unreadable: typeof UNREADABLE | null;
};

/** A kind of record: fields that are read, and those whose columns are the person's. */
export type RecordKind = {
  readonly fields: ReadonlyMap<string, ReadField>;
  readonly persons: ReadonlySet<string>;
};

/** Columns that are read from others. */
const MADE_OF: Readonly<Record<string, readonly string[]>> = { line_oid: ['spec_hash'] };

type Fills = Readonly<Record<string, { readonly fills: Readonly<Record<string, unknown>> }>>;

function recordKind(
  fields: Fills,
  writers: Readonly<Record<string, string>>,
  persons: object = {},
): RecordKind {
  const isSearched = (kind = 'program'): kind is SearchedText => kind !== 'program';
  const read = Object.entries(fields).map(([name, { fills }]): [string, ReadField] => {
    const columns = Object.keys(fills).flatMap((column) => [column, ...(MADE_OF[column] ?? [])]);
    const column = columns[0] ?? '';
    const kind = writers[column];
    const text = isSearched(kind) ? { column, kind } : undefined;
    return [name, { columns, text, unreadable: text ? null : UNREADABLE }];
  });
  return { fields: new Map(read), persons: new Set(Object.keys(persons)) };
}

export const ORDER = recordKind(ORDER_FIELDS, TEXTS.orders, PERSON_FIELDS);
export const GROUP = recordKind(GROUP_FIELDS, TEXTS.userGroups);
export const LINE = recordKind(LINE_FIELDS, TEXTS.orderLines);
const USER = recordKind(USER_FIELDS, TEXTS.users, { content: null });

/** Whether a text of that column holds a person. */
export type IsFound = (text: string, kind: SearchedText, column: string) => boolean;

type Row = Readonly<Record<string, unknown>>;

/** What was made of a record. `row`: undefined where nothing of it could be read. */
type Normalized<Made> = { readonly row: Made; readonly rejections: readonly Rejection[] };

/** A record in two parts, and its row without persons. `rest`: null where nothing is left. */
export type Divided<Made> = {
  readonly row: Made;
  readonly known: JsonObject;
  readonly rest: JsonObject | null;
};

/**
 * What could not be read is not known to be impersonal. Of a text that holds a person the column is null, of a code {@link
 * HIDDEN_CODE}; `known` has a stand-in there.
 */
export function divide<Made extends Row | undefined>(
  kind: RecordKind,
  sent: JsonObject,
  { row, rejections }: Normalized<Made>,
  isFound: IsFound,
): Divided<Made> {
  const isRejected = (name: string) => rejections.some(({ field }) => field === name);
  const known: Record<string, JsonValue> = {};
  const rest: [name: string, value: JsonValue][] = [];
  const withheld: ReadField[] = [];
  for (const [name, value] of Object.entries(sent)) {
    const field = kind.fields.get(name);
    if (field === undefined) {
      const isColumn = kind.persons.has(name) && isStored(name, value) && !isRejected(name);
      if (!isColumn) rest.push([name, value]);
    } else if (row !== undefined && holdsPerson(field, row, isFound)) {
      withheld.push(field);
      known[name] = isStandIn(value) ? value : standInFor(field, value);
      if (!isStandIn(value)) rest.push([name, value]);
    } else {
      const isRead =
        row === undefined ? isNobody(value, isFound) : (isFilled(field, row) ?? !isRejected(name));
      known[name] = isRead || isHarmless(value) ? value : field.unreadable;
      if (known[name] !== value) rest.push([name, value]);
    }
  }
  const left = rest.length === 0 ? null : Object.fromEntries(rest);
  return { row: withheld.length === 0 ? row : withoutTexts(row, withheld), known, rest: left };
}

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
  if (text?.column !== 'line_oid') return HIDDEN_CODE;
  // The number of the product before it is nobody's.
  return (/^\d*_/.exec(scalarText(value) ?? '')?.[0] ?? '_') + HIDDEN_CODE;
}

function withoutTexts<Made extends Row | undefined>(row: Made, withheld: readonly ReadField[]): Made {
  const nulls = withheld.flatMap(({ columns, text }) =>
    columns.map((column) => [column, text?.kind === 'code' ? HIDDEN_CODE : null] as const),
  );
  const count = row !== undefined && 'withheld' in row ? { withheld: withheld.length } : {};
  return { ...row, ...Object.fromEntries(nulls), ...count };
}

/** @returns undefined where other columns than its own tell */
function isFilled({ columns }: ReadField, row: Row): boolean | undefined {
  return columns.length === 0 ? undefined : columns.some((column) => (row[column] ?? '') !== '');
}

/** Whether the columns of a person hold a value as it was sent. */
function isStored(name: string, value: JsonValue): boolean {
  return value === null || typeof value === 'string' || name === 'fields' || name === 'content';
}

/** Of a record of which nothing was read, so that a later version can read it. */
function isNobody(value: JsonValue, isFound: IsFound): boolean {
  return isFigure(value) || (typeof value === 'string' && !isFound(value, 'note', ''));
}

const MAX_DIGITS = 6;
const FIGURE = /^[\s\d.,:%+-]{0,64}$/;
const DATE =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:\s+\d{1,2}(?::\d{1,2}){1,2}(?:\.\d+)?)?$/;

/** Nothing, a date, or so few digits that they are no phone number. */
function isHarmless(value: JsonValue): boolean {
  if (!isPresent(value)) return true;
  const text = (scalarText(value) ?? '').trim();
  return isFigure(value) && (DATE.test(text) || text.replaceAll(/\D/g, '').length <= MAX_DIGITS);
}

/** Something without letters. */
function isFigure(value: JsonValue): boolean {
  return typeof value === 'boolean' || FIGURE.test(scalarText(value) ?? 'no figure');
}

/** A user's record. The rest of `content` is stored as a whole. */
export function divideUser<Made extends UserRow | undefined>(
  sent: JsonObject,
  read: Normalized<Made>,
  isFound: IsFound,
): Divided<Made> {
  const divided = divide(USER, sent, read, read.row === undefined ? () => true : isFound);
  const { content } = sent;
  if (content === undefined) return divided;
  const level = isJsonObject(content) ? (content['level'] ?? null) : null;
  const isKnown = (read.row?.level ?? null) !== null || isHarmless(level);
  return { ...divided, known: { ...divided.known, content: { level: isKnown ? level : UNREADABLE } } };
}

const CONTENT_FIGURES: ReadonlySet<string> = new Set(['order_id', 'oid', 'success']);

/**
 * The answer for an order's lines, wherever they stand in it: `known` has them in `ordercontent`, with the fields of the catalogue.
 *
 * @param lines undefined where it has none
 * @param rows made of them
 */
export function divideContent(
  answer: JsonObject,
  lines: readonly JsonValue[] | undefined,
  rows: readonly LineRow[],
  isFound: IsFound,
) {
  const known: Record<string, JsonValue> = {};
  const rest: [name: string, value: JsonValue][] = [];
  for (const [name, value] of Object.entries(lines === undefined ? answer : withoutLines(answer))) {
    if (CONTENT_FIGURES.has(name) && isFigure(value)) known[name] = value;
    else rest.push([name, value]);
  }
  const divided = lines && divideLines(lines, rows, isFound);
  if (divided) known['ordercontent'] = divided.known;
  if (divided?.rest) rest.push(['ordercontent', divided.rest]);
  const left = rest.length === 0 ? null : Object.fromEntries(rest);
  return { rows: divided?.rows ?? rows, known, knownLines: divided?.known ?? [], rest: left };
}

function withoutLines({ ordercontent, content, ...others }: JsonObject): JsonObject {
  if ((ordercontent ?? null) !== null) return { ...others, ...(content === undefined ? {} : { content }) };
  if (!isJsonObject(content) || content['ordercontent'] === undefined) return others;
  const { ordercontent: _lines, ...more } = content;
  return Object.keys(more).length === 0 ? others : { ...others, content: more };
}

function divideLines(lines: readonly JsonValue[], rows: readonly LineRow[], isFound: IsFound) {
  const byNumber = new Map(rows.map((row) => [row.line_no, row]));
  const clean: LineRow[] = [];
  const known: JsonValue[] = [];
  const rest: [at: string, value: JsonValue][] = [];
  for (const [at, line] of lines.entries()) {
    const row = byNumber.get(at + 1);
    const parts = isJsonObject(line)
      ? divide(LINE, line, { row, rejections: [] }, isFound)
      : { row, known: null, rest: line };
    if (parts.row !== undefined) clean.push(parts.row);
    known.push(parts.known);
    if (parts.rest !== null) rest.push([String(at), parts.rest]);
  }
  return { rows: clean, known, rest: rest.length === 0 ? null : Object.fromEntries(rest) };
}
