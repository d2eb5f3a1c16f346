/**
 * Takes persons out of what is stored of records for reports. The column is null, the payload has {@link HIDDEN_CODE} in its place,
 * and what was sent goes to the person.
 */
import type { JsonObject } from '../../model/json.ts';
import { HIDDEN_CODE } from '../../model/status-codes.ts';
import { TEXTS } from '../../warehouse/schema/texts.ts';
import { GROUP_FIELDS, type GroupRow } from '../group.ts';
import { LINE_FIELDS, type LineRow } from '../lines.ts';
import { ORDER_FIELDS, type OrderRow } from '../order-fields.ts';
import { scalarText } from '../text.ts';
import type { UserRow } from '../user.ts';
import { divideContent, joinContent } from './divide-records.ts';
import type { Finder, TextKind } from './find-persons.ts';

/** Whether a code may be stored whoever it names: `status_code` or `pay_status_code`, documented or classified by the owner. */
export type IsKnownCode = (column: string, code: string) => boolean;

/** A field of a record from which a column of text is read. */
type TextField = {
  readonly field: string;
  readonly column: string;
  readonly kind: TextKind;
  readonly isCode: boolean;
  /** All columns that the field fills. */
  readonly fills: readonly string[];
};

function textFields(
  fields: Readonly<Record<string, { readonly fills: Readonly<Record<string, unknown>> }>>,
  writers: Readonly<Record<string, string>>,
): readonly TextField[] {
  return Object.entries(fields).flatMap(([field, { fills }]) =>
    Object.keys(fills).flatMap((column): TextField[] => {
      const kind = writers[column];
      const isCode = kind === 'code';
      if (isCode) return [{ field, column, kind: 'note', isCode, fills: Object.keys(fills) }];
      if (kind !== 'note' && kind !== 'field' && kind !== 'catalogue' && kind !== 'key') return [];
      return [{ field, column, kind, isCode, fills: Object.keys(fills) }];
    }),
  );
}

const ORDER_TEXTS = textFields(ORDER_FIELDS, TEXTS.orders);
const GROUP_TEXTS = textFields(GROUP_FIELDS, TEXTS.userGroups);
const LINE_TEXTS = textFields(LINE_FIELDS, TEXTS.orderLines);
const USER_TEXTS = textFields(
  { visible: { fills: { visible: 0 } }, access: { fills: { access: 0 } } },
  TEXTS.users,
);

/** A row beside the payload that it was read from. `rest`: what of the payload is stored with the person. */
export type Parts<Row> = {
  readonly row: Row;
  readonly payload: JsonObject;
  readonly rest: JsonObject | null;
};

const isStandIn = (value: unknown) => typeof value === 'string' && value.endsWith(HIDDEN_CODE);

function textsFound(
  row: Readonly<Record<string, unknown>>,
  texts: readonly TextField[],
  isFound: (text: string, field: TextField) => boolean,
): readonly TextField[] {
  return texts.filter((field) => {
    const text = row[field.column];
    return typeof text === 'string' && text !== '' && isFound(text, field);
  });
}

/** @param isFound whether a text that is none of ours holds a person */
function withhold<Row extends Readonly<Record<string, unknown>>>(
  parts: Parts<Row>,
  texts: readonly TextField[],
  isFound: (text: string, field: TextField) => boolean,
): Parts<Row> {
  const { row, payload, rest } = parts;
  const found = textsFound(row, texts, (text, field) => isStandIn(text) || isFound(text, field));
  if (found.length === 0) return parts;
  const nulls = found.flatMap(({ column, fills, isCode }) =>
    fills.map((each) => [each, isCode && each === column ? HIDDEN_CODE : null] as const),
  );
  const sent = found.filter(({ field }) => !isStandIn(payload[field]));
  return {
    row: { ...row, ...Object.fromEntries(nulls) },
    payload: { ...payload, ...Object.fromEntries(found.map(({ field }) => [field, HIDDEN_CODE])) },
    rest:
      sent.length === 0
        ? rest
        : { ...rest, ...Object.fromEntries(sent.map(({ field }) => [field, payload[field] ?? null])) },
  };
}

function isPersonal(finds: Finder, isKnown: IsKnownCode) {
  return (text: string, { column, isCode, kind }: TextField) =>
    !(isCode && isKnown(column, text)) && finds(text, kind);
}

export function withholdInOrder(
  parts: Parts<OrderRow>,
  finds: Finder,
  isKnown: IsKnownCode,
): Parts<OrderRow> {
  const clean = withhold(parts, ORDER_TEXTS, isPersonal(finds, isKnown));
  if (clean === parts) return parts;
  const withheld = ORDER_TEXTS.filter(({ field }) => isStandIn(clean.payload[field])).length;
  return { ...clean, row: { ...clean.row, withheld } };
}

/** @param columns of a stored order */
export function isFoundInOrder(columns: JsonObject, finds: Finder, isKnown: IsKnownCode): boolean {
  return textsFound(columns, ORDER_TEXTS, isPersonal(finds, isKnown)).length > 0;
}

/** @param columns of a stored line */
export function isFoundInLine(columns: JsonObject, finds: Finder): boolean {
  return textsFound(columns, LINE_TEXTS, (text, { kind }) => finds(text, kind)).length > 0;
}

export function withholdInUser(parts: Parts<UserRow>, finds: Finder): Parts<UserRow> {
  return withhold(parts, USER_TEXTS, (text, { kind }) => finds(text, kind));
}

export function withholdInGroup(row: GroupRow, payload: JsonObject, finds: Finder) {
  return withhold({ row, payload, rest: null }, GROUP_TEXTS, (text, { kind }) => finds(text, kind));
}

/** Lines beside the answer that they were read from. */
export type LineParts = {
  readonly rows: readonly LineRow[];
  readonly payload: JsonObject;
  readonly rest: JsonObject | null;
};

export function withholdInLines<Lines extends LineParts>(lines: Lines, finds: Finder): Lines {
  const { payload, rest } = lines;
  const isFound = (text: string, { kind }: TextField) => isStandIn(text) || finds(text, kind);
  const foundIn = (row: LineRow) => textsFound(row, LINE_TEXTS, isFound);
  if (!lines.rows.some((row) => foundIn(row).length > 0)) return lines;
  const divided = divideContent(payload, (name, value) => {
    const field = LINE_TEXTS.find((each) => each.field === name);
    const text = scalarText(value);
    if (field === undefined || text === undefined || !isFound(text, field)) return undefined;
    // The number of the product before it is nobody's.
    return field.column === 'line_oid' ? (/^\d*_/.exec(text)?.[0] ?? '_') + HIDDEN_CODE : HIDDEN_CODE;
  });
  const rows = lines.rows.map((row): LineRow => {
    const found = foundIn(row);
    const nulls = found.flatMap(({ column, fills }) => [
      ...fills,
      ...(column === 'line_oid' ? ['spec_hash'] : []),
    ]);
    return {
      ...row,
      ...Object.fromEntries(nulls.map((each) => [each, null])),
      withheld: row.withheld + found.length,
    };
  });
  const found = divided.rest === null ? rest : joinContent(rest ?? {}, divided.rest);
  return { ...lines, rows, payload: divided.known, rest: found };
}
