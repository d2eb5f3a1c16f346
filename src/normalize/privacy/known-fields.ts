/** The fields of the shop's records that are known to be impersonal, and what they can hold. */
import type { Field } from '../field-table.ts';
import { parseId } from '../id.ts';
import { LINE_FIELDS } from '../line-fields.ts';
import { parseLocalDate, parseLocalTime } from '../local-time.ts';
import { ORDER_FIELDS } from '../order-fields.ts';
import { figure, type Kept, type KnownFields, number, state } from './kept.ts';

export const orderFields = keptOf(ORDER_FIELDS);

export const lineFields = keptOf(LINE_FIELDS);

export const answerFields: KnownFields = { order_id: figure(parseId), oid: figure(parseId), success: number };

export const userFields: KnownFields = {
  oid: figure(parseId),
  parent_oid: figure(parseId),
  master_oid: figure(parseId),
  visible: state,
  access: state,
  created: figure(parseLocalDate),
  updated: figure(parseLocalTime),
  success: number,
};

function keptOf(table: Readonly<Record<string, Pick<Field<object>, 'kept'>>>): KnownFields {
  const entries = Object.entries(table).flatMap(([field, { kept }]): [string, Kept][] =>
    kept === null ? [] : [[field, kept]],
  );
  return Object.fromEntries(entries);
}
