import { TransientError } from '../../../errors.ts';
import { normalizeLines } from '../../../normalize/lines.ts';
import type { Rejection } from '../../../normalize/rejection.ts';
import type { LinesToLoad } from '../../../warehouse/orders/load-lines.ts';
import type { Needs } from '../../run/context.ts';
import { asRecordFault, isRefusal } from '../../run/record-faults.ts';

export type FetchedLines = {
  readonly lines: LinesToLoad;
  readonly rejections: readonly Rejection[];
  /** Why the lines could not be fetched. */
  readonly failure: string | undefined;
};

/** An order whose lines are wanted. */
export type WantedLines = {
  readonly orderId: string;
  /** Failures in a row so far. */
  readonly attempts: number;
  /** Items of the order as its list row counts them; null where it does not. */
  readonly itemCount: number | null;
};

/**
 * Asks for the lines of an order and normalizes them. A failure is a value, and a rejection where it is not a passing
 * one: it must not hold up other orders.
 *
 * @throws TerminalError when the shop refuses more than this order, UnavailableError when it is away: other orders would
 * fail too
 */
export async function fetchLines(
  { ports, state }: Needs<'api' | 'now' | 'signal', 'questions'>,
  { orderId, attempts, itemCount }: WantedLines,
): Promise<FetchedLines> {
  const { api, now, signal } = ports;
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
    if (isLost) return refused('the shop serves an empty content for an order that it lists with items');
    const { rows, rejections } = normalizeLines(orderId, content.lines);
    if (content.lines.length > 0) state.questions.contentCame();
    const lines = { kind: 'fetched' as const, rows, payload: content.raw, fetchedAt: now() };
    return { lines, rejections, failure: undefined };
  } catch (error) {
    const fault = asRecordFault(error, signal);
    if (fault instanceof TransientError) return failed(fault.message);
    if (!isRefusal(fault)) return refused(fault.message);
    return refused(`the shop refuses the content of this order (HTTP ${fault.status})`);
  }
}
