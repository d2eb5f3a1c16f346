import { TerminalError } from '../../errors.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type ResponseKind, createKindReader } from '../wire/response-kind.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { hasMessage, type Shaped } from '../wire/read-response.ts';
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
      readShape: (value) => readContent(value, orderId),
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
  const read = createKindReader(orderId, (value): Omit<OrderResponse, 'kind'> => {
    const shaped = value === undefined ? undefined : readContent(value, orderId);
    const content = shaped && 'value' in shaped ? shaped.value : undefined;
    return { lines: content?.kind === 'found' ? content.lines.length : undefined };
  });
  return client.send({ ...contentRequest(orderId), read, signal });
}

function contentRequest(orderId: string) {
  return { route: 'content', method: 'GET', path: `orders/${encodeURIComponent(orderId)}` } as const;
}

/**
 * The lines in a response about one order; undefined where it has none. Those of an object are sorted by their keys,
 * since an object has no order of its own, and would lose it when it is stored.
 */
export function contentLines(raw: JsonObject): readonly JsonValue[] | undefined {
  const nested = raw['content'];
  const found = raw['ordercontent'] ?? (isJsonObject(nested) ? nested['ordercontent'] : nested);
  if (isJsonArray(found)) return found;
  const byKey = (one: WireEntry, other: WireEntry) => compareKeys(one.key ?? '', other.key ?? '');
  return listEntries(found)
    ?.toSorted(byKey)
    .map(({ value }) => value);
}

/** Compares numbers by value; keys of one length as text. */
function compareKeys(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : Number(one > other);
}

function readContent(raw: JsonValue, orderId: string): Shaped<OrderContent> {
  if (!isJsonObject(raw)) return { mismatch: 'the whole: must be an object' };
  if (namedOrders(raw).some((named) => named !== orderId)) {
    return { mismatch: 'order_id: must be the order that was asked for' };
  }
  const lines = contentLines(raw);
  const success = wireId(raw['success']);
  const isEmpty = lines === undefined || lines.length === 0;
  if (isEmpty && success === '0' && !hasMessage(raw)) return { value: { kind: 'gone' } };
  // Beside a message an empty list is that of an error, unless it is said to be none.
  return lines === undefined || (isEmpty && success !== '1' && hasMessage(raw))
    ? { mismatch: 'ordercontent: must be a list' }
    : { value: { kind: 'found', lines, raw } };
}

/** Whose content it is, where the response says so. */
function namedOrders(raw: JsonObject): readonly string[] {
  return [raw['order_id'], raw['oid']].flatMap((id) => wireId(id) ?? []);
}
