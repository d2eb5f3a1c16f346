import { TerminalError } from '../../model/errors.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { kindReader, type ResponseKind } from '../wire/response-kind.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { dataReader, hasMessage, type Shaped } from '../wire/read-answer.ts';
import { listEntries, type WireEntry, wireId } from '../wire/wire-values.ts';

/** The content of one order; `gone` where the shop says that there is no such order. */
export type OrderContent =
  | { readonly kind: 'found'; readonly lines: readonly JsonValue[]; readonly raw: JsonObject }
  | { readonly kind: 'gone' };

/** What the shop responded for one order, whatever it is. */
export type OrderResponse = {
  readonly kind: ResponseKind;
  /** Lines of the order's content; undefined where the response is no content, or that of another order. */
  readonly lines: number | undefined;
};

/** GET /orders/ID. @throws TerminalError, TransientError; a content that names another order is rejected */
export async function getOrderContent(
  client: ApiClient,
  orderId: string,
  signal?: AbortSignal,
): Promise<OrderContent> {
  try {
    return await client.send({
      ...contentRequest(orderId),
      read: dataReader((value) => readContent(value, orderId)),
      signal,
    });
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404) return { kind: 'gone' };
    throw error;
  }
}

/**
 * GET /orders/ID once: retried only where there was no response, or a pause was requested.
 *
 * @throws TerminalError, TransientError
 */
export async function getOrderResponse(
  client: ApiClient,
  orderId: string,
  signal?: AbortSignal,
): Promise<OrderResponse> {
  const read = kindReader(orderId, (value): Omit<OrderResponse, 'kind'> => {
    const shaped = value === undefined ? undefined : readContent(value, orderId);
    const content = shaped && 'value' in shaped ? shaped.value : undefined;
    // No list at all is no evidence that contents are served.
    return { lines: content?.kind === 'found' ? contentLines(content.raw)?.length : undefined };
  });
  return client.send({ ...contentRequest(orderId), read, alsoReads: 'anything', signal });
}

function contentRequest(orderId: string) {
  return { route: 'content', method: 'GET', path: `orders/${encodeURIComponent(orderId)}` } as const;
}

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

function readContent(raw: JsonValue, orderId: string): Shaped<OrderContent> {
  if (isNothing(raw)) return { value: { kind: 'found', lines: [], raw: {} } };
  if (!isJsonObject(raw)) return { mismatch: 'the whole: must be an object' };
  const named = wireId(raw['order_id']);
  if (named !== undefined && named !== orderId) {
    return { mismatch: 'order_id: must be the order that was asked for' };
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
