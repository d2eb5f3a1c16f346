import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { normalizeLines } from '../normalize/lines.ts';
import type { Rejection } from '../normalize/rejection.ts';
import type { LinesToLoad } from '../warehouse/load-lines.ts';
import type { SweepDeps } from './deps.ts';

export type FetchedLines = {
  readonly lines: LinesToLoad;
  readonly rejections: readonly Rejection[];
  /** Why the lines could not be had. */
  readonly failure: string | undefined;
};

/**
 * Asks for the lines of an order and normalizes them. A failure is a value: it must not hold up other orders.
 *
 * @param attempts failures in a row before this one
 * @throws TerminalError when the shop refuses the credentials, UnavailableError when it is away: no other order would
 * fare better
 */
export async function fetchLines(deps: SweepDeps, orderId: string, attempts: number): Promise<FetchedLines> {
  const failed = (failure: string): FetchedLines => ({
    lines: { kind: 'failed', attempts: attempts + 1, triedAt: deps.now() },
    rejections: [],
    failure,
  });
  try {
    const content = await deps.api.orderContent(orderId, deps.signal);
    if (content.kind === 'gone') return failed('the shop says that a listed order has no content');
    const { rows, rejections } = normalizeLines(orderId, content.lines);
    const lines = { kind: 'fetched' as const, rows, payload: content.raw, fetchedAt: deps.now() };
    return { lines, rejections, failure: undefined };
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof TerminalError && (error.status === 401 || error.status === 403)) throw error;
    if (error instanceof UnavailableError) throw error;
    if (error instanceof TerminalError || error instanceof TransientError) return failed(error.message);
    throw error;
  }
}
