import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { hasMessage, type Shaped } from '../wire/read-answer.ts';
import { listEntries, type WireEntry, wireId } from '../wire/wire-values.ts';

/** The content of one order. */
export type OrderContent = {
  readonly kind: 'found';
  readonly lines: readonly JsonValue[];
  readonly raw: JsonObject;
};

/**
 * The lines in a response about one order; undefined where it has none. Those of an object are sorted by their keys,
 * since an object has no order of its own, and would lose it when it is stored.
 */
export function contentLines(raw: JsonObject): readonly JsonValue[] | undefined {
  const found = sentLines(raw);
  if (isJsonArray(found)) return found;
  const byKey = (one: WireEntry, other: WireEntry) => compareKeys(one.key ?? '', other.key ?? '');
  return listEntries(found)
    ?.toSorted(byKey)
    .map(({ value }) => value);
}

function sentLines({ ordercontent, content }: JsonObject): JsonValue | undefined {
  const nested = isJsonObject(content) ? content['ordercontent'] : content;
  return nested === undefined ? ordercontent : (ordercontent ?? nested);
}

/** Compares numbers by value; keys of one length as text. */
function compareKeys(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : Number(one > other);
}

/** @returns `gone` where the shop says that there is no such order */
export function readContent(
  raw: JsonValue,
  orderId: string,
): Shaped<OrderContent | { readonly kind: 'gone' }> {
  if (isNothing(raw)) return { value: { kind: 'found', lines: [], raw: {} } };
  if (!isJsonObject(raw)) return { mismatch: 'the whole: must be an object' };
  const named = wireId(raw['order_id']);
  if (named !== undefined && named !== orderId) {
    return { mismatch: 'order_id: must be the requested order' };
  }
  const lines = contentLines(raw) ?? (isNothing(sentLines(raw)) ? [] : undefined);
  const isEmpty = lines === undefined || lines.length === 0;
  const success = wireId(raw['success']);
  if (isEmpty && success === '0' && !hasMessage(raw)) return { value: { kind: 'gone' } };
  const isError = isEmpty && success !== '1' && hasMessage(raw) && !isRecord(raw);
  return lines === undefined || isError
    ? { mismatch: 'ordercontent: must be a list' }
    : { value: { kind: 'found', lines, raw } };
}

/** What PHP writes for a list that has no elements, or that it could not make. */
function isNothing(value: JsonValue | undefined): boolean {
  if (isJsonArray(value) || isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === false || value === '';
}

/** Whether an answer has fields of the order beside its lines: its message is one of them. */
function isRecord(raw: JsonObject): boolean {
  return ['order_id', 'created', 'summ'].some((field) => field in raw);
}
