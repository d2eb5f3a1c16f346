import { TransientError } from '../../../errors.ts';
import { normalizeLines } from '../../../normalize/lines.ts';
import type { Rejection } from '../../../normalize/rejection.ts';
import { contentLines } from '../../../shop-api/endpoints/get-order-content.ts';
import type { LinesToLoad } from '../../../warehouse/orders/load-lines.ts';
import type { Needs } from '../../run/context.ts';
import { asRecordFault, isRefusal } from '../../run/record-faults.ts';
import { collectFields } from './collect-fields.ts';

export type FetchedLines = {
  readonly lines: LinesToLoad;
  readonly rejections: readonly Rejection[];
  /** Why the lines could not be fetched. */
  readonly failure: string | undefined;
};

/** An order whose lines are to be fetched. */
export type WantedLines = {
  readonly orderId: string;
  /** Consecutive failures so far. */
  readonly attempts: number;
  /** Number of items in the list row; null where it gives none. */
  readonly itemCount: number | null;
  /** Its list row is stored without its person. */
  readonly isScrubbed: boolean;
};

/**
 * Fetches the lines of an order and normalizes them. A failure is returned as a value, so that it does not hold up
 * other orders; a lasting one is a rejection too.
 *
 * @throws TerminalError when the shop refuses more than this order, UnavailableError when it is unavailable: other
 *   orders would fail too
 */
export async function fetchLines(
  { ports, state }: Needs<'api' | 'now' | 'privacy' | 'signal', 'fields' | 'questions'>,
  { orderId, attempts, itemCount, isScrubbed }: WantedLines,
): Promise<FetchedLines> {
  const { api, now, privacy, signal } = ports;
  const failed = (failure: string, rejections: readonly Rejection[] = []): FetchedLines => ({
    lines: { kind: 'failed', attempts: attempts + 1, triedAt: now() },
    rejections,
    failure,
  });
  const refused = (reason: string) =>
    failed(reason, [{ resource: 'content', sourceKey: orderId, field: null, reason, value: null }]);
  try {
    const content = await api.orderContent(orderId, signal);
    if (content.kind === 'gone') return refused('the shop says that a listed order has no content');
    const isLost = content.lines.length === 0 && (itemCount ?? 0) > 0;
    if (isLost) return refused('the shop returned empty content for an order that it lists with items');
    const payload = privacy.content(content.raw, isScrubbed);
    const elements = contentLines(payload) ?? [];
    const { rows, rejections } = normalizeLines(orderId, elements);
    for (const line of elements) collectFields(state.fields.line, line);
    if (content.lines.length > 0) state.questions.recordContent();
    const lines = { kind: 'fetched' as const, rows, payload, fetchedAt: now() };
    return { lines, rejections, failure: undefined };
  } catch (error) {
    const fault = asRecordFault(error, signal);
    if (fault instanceof TransientError) return failed(fault.message);
    if (!isRefusal(fault)) return refused(fault.message);
    return refused(`the shop refuses the content of this order (HTTP ${fault.status})`);
  }
}
