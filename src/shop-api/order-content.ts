import { z } from 'zod';

import { TerminalError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type AnswerKind, readKind } from './answer-kind.ts';
import type { Http } from './http.ts';
import { type WireEntry, wireId, wireList, wireObject } from './wire.ts';

/** What one order holds; `gone` where the shop says that there is no such order. */
export type OrderContent =
  | { readonly kind: 'found'; readonly lines: readonly JsonValue[]; readonly raw: JsonObject }
  | { readonly kind: 'gone' };

/** What came for one order, whatever it is. */
export type OrderAnswer = {
  readonly kind: AnswerKind;
  /** Lines of the order's content; undefined where the answer is no content, or that of another order. */
  readonly lines: number | undefined;
};

/** GET /orders/ID. @throws TerminalError, TransientError; a content that names another order is refused */
export async function orderContent(http: Http, orderId: string, signal?: AbortSignal): Promise<OrderContent> {
  try {
    return await http.send({ ...contentOf(orderId), schema: contentAnswer(orderId), signal });
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404) return { kind: 'gone' };
    throw error;
  }
}

/**
 * GET /orders/ID once: tried again only where no answer came, or a pause was asked for.
 *
 * @throws TerminalError, TransientError
 */
export async function askOrder(http: Http, orderId: string, signal?: AbortSignal): Promise<OrderAnswer> {
  const schema = contentAnswer(orderId);
  const read = readKind(orderId, (value): Omit<OrderAnswer, 'kind'> => {
    const { data: content } = schema.safeParse(value);
    return { lines: content?.kind === 'found' ? content.lines.length : undefined };
  });
  return http.send({ ...contentOf(orderId), read, signal });
}

function contentOf(orderId: string) {
  return { route: 'content', method: 'GET', path: `orders/${encodeURIComponent(orderId)}` } as const;
}

/**
 * The lines in an answer about one order; undefined where it has none. Those of an object are put in the order of their
 * keys, since an object has none of its own, and would lose it when it is stored.
 */
export function contentLines(raw: JsonObject): readonly JsonValue[] | undefined {
  const nested = raw['content'];
  const found = raw['ordercontent'] ?? (isJsonObject(nested) ? nested['ordercontent'] : nested);
  const { data: entries } = wireList.safeParse(found);
  const byKey = (one: WireEntry, other: WireEntry) => compareKeys(one.key ?? '', other.key ?? '');
  return entries?.toSorted(byKey).map(({ value }) => value);
}

/** Numbers by their value, as all keys of one length. */
function compareKeys(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : Number(one > other);
}

const contentAnswer = (orderId: string) =>
  wireObject.transform((raw, context): OrderContent => {
    const other = namedOrders(raw).find((named) => named !== orderId);
    if (other !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['order_id'],
        message: 'must be the order that was asked for',
      });
      return z.NEVER;
    }
    const lines = contentLines(raw);
    if (wireId(raw['success']) === '0' && (lines === undefined || lines.length === 0))
      return { kind: 'gone' };
    if (lines) return { kind: 'found', lines, raw };
    context.addIssue({ code: 'custom', path: ['ordercontent'], message: 'must be a list' });
    return z.NEVER;
  });

/** Whose content it is, where the answer says so. */
function namedOrders(raw: JsonObject): readonly string[] {
  return [raw['order_id'], raw['oid']].flatMap((id) => wireId(id) ?? []);
}
