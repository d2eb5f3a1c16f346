import type { DeliveryFailure } from '../../plan/alerts/alert-retry.ts';
import { VERSION } from '../../version.ts';
import { alertBody, type AlertFormat, type AlertNote, detectFormat } from './alert-body.ts';

export type WebhookOptions = {
  /** A secret: it is never logged, nor part of an error. */
  readonly url: string;
  /** @default by the host of the address */
  readonly format?: AlertFormat | undefined;
  /** @default 10_000 */
  readonly timeoutMs?: number;
};

/** Posts a note. @returns undefined if the webhook took it @throws the signal's reason */
export type Webhook = (note: AlertNote, signal: AbortSignal) => Promise<DeliveryFailure | undefined>;

/** About the message; any other status below 500 is about the address, or the time. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/** A webhook that takes JSON. No redirect is followed: it would turn the POST into a GET of some page. */
export function createWebhook({
  url,
  format = detectFormat(url),
  timeoutMs = 10_000,
}: WebhookOptions): Webhook {
  return async (note, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': note.id,
          'user-agent': `order-sync/${VERSION}`,
        },
        body: alertBody(note, format),
        redirect: 'manual',
        signal: AbortSignal.any([timeout, signal]),
      });
      await response.body?.cancel();
      return failureOf(response);
    } catch (error) {
      signal.throwIfAborted();
      const problem = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : networkProblem(error);
      return { problem, isRefused: false, retryAfterMs: undefined };
    }
  };
}

function failureOf({ status, ok, headers }: Response): DeliveryFailure | undefined {
  if (ok) return undefined;
  // Chat services give seconds.
  const seconds = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  const retryAfterMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  return { problem: `HTTP ${status}${advice(status)}`, isRefused: REFUSALS.has(status), retryAfterMs };
}

function advice(status: number): string {
  if (REFUSALS.has(status)) return '; check ALERT_FORMAT';
  const isPassing = status >= 500 || status === 408 || status === 429;
  return isPassing ? '' : '; check ALERT_WEBHOOK_URL';
}

/** The error's message may hold the address; its code does not. */
function networkProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `no connection (${code})` : 'no connection';
}
