import { VERSION } from '../../model/program.ts';

export type WebhookOptions = {
  /** A secret: it is never logged, nor part of an error. */
  readonly url: string;
  /** @default 10_000 */
  readonly timeoutMs?: number;
};

/** What came of one attempt to deliver a message. */
type DeliveryFailure = {
  /** Why, without the address of the webhook. */
  readonly problem: string;
  /** The webhook does not take this message, however often it is sent. */
  readonly isRefused: boolean;
};

/** Posts a note. @returns undefined if the webhook took it @throws the signal's reason */
export type Webhook = (note: AlertNote, signal: AbortSignal) => Promise<DeliveryFailure | undefined>;

/** A webhook that takes JSON. No redirect is followed: it would turn the POST into a GET of some page. */
export function createWebhook({ url, timeoutMs = 10_000 }: WebhookOptions): Webhook {
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
        body: JSON.stringify(alertBody(note)),
        redirect: 'manual',
        signal: AbortSignal.any([timeout, signal]),
      });
      await response.body?.cancel();
      return failureOf(response);
    } catch (error) {
      signal.throwIfAborted();
      const problem = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : networkProblem(error);
      return { problem, isRefused: false };
    }
  };
}

/** A timeout and too many requests pass; any other 4xx is about the message or the address. */
function failureOf({ status, ok }: Response): DeliveryFailure | undefined {
  if (ok) return undefined;
  const isRefused = status < 500 && status !== 408 && status !== 429;
  return { problem: `HTTP ${status}${isRefused ? '; check ALERT_WEBHOOK_URL' : ''}`, isRefused };
}

/** The error's message may hold the address; its code does not. */
function networkProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `no connection (${code})` : 'no connection';
}

export type AlertNote = {
  /** The same whenever the message is sent again. */
  readonly id: string;
  readonly shop: string | null;
  readonly cause: string | null;
  readonly event: 'raised' | 'recovered' | 'test';
  /** When the cause was found, or was over. */
  readonly at: string;
  /** A sentence for people. */
  readonly text: string;
};

/**
 * One document for all: chat services (Slack, Mattermost, Rocket.Chat) show `text`, Apprise takes `title` and `body`, and
 * programs read the rest.
 */
export function alertBody(note: AlertNote) {
  const { event, shop } = note;
  const title = `order-sync: ${shop ?? 'test'} ${event === 'recovered' ? 'recovered' : 'alert'}`;
  // Chat services read these characters as the beginning of markup.
  const text = note.text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { ...note, title, body: note.text, text };
}
