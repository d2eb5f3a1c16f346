import type { DeliveryFailure } from '../../plan/alerts/alert-retry.ts';
import { VERSION } from '../../version.ts';

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

/** `json` is for Mattermost and for programs; `slack` is the text alone, and `teams` an adaptive card. */
export type AlertFormat = 'json' | 'slack' | 'teams';

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

/** Hosts of services that take only one form. */
const HOSTS: readonly (readonly [host: RegExp, format: AlertFormat])[] = [
  [/(^|\.)(logic\.azure\.com|powerplatform\.com|powerautomate\.com)$/, 'teams'],
  [/^(hooks\.slack(-gov)?\.com|chat\.googleapis\.com)$|\.webhook\.office\.com$/, 'slack'],
];

export function detectFormat(url: string): AlertFormat {
  const { hostname } = new URL(url);
  return HOSTS.find(([host]) => host.test(hostname))?.[1] ?? 'json';
}

export function alertBody(note: AlertNote, format: AlertFormat): string {
  return JSON.stringify(BODIES[format](note));
}

const BODIES: Readonly<Record<AlertFormat, (note: AlertNote) => object>> = {
  json: (note) => note,
  slack: ({ text }) => ({
    text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  }),
  teams: (note) => ({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: adaptiveCard(note) }],
  }),
};

function adaptiveCard({ at, cause, event, shop, text }: AlertNote) {
  const facts = [
    ['Shop', shop],
    ['Cause', cause],
    ['Event', event],
    ['Time', at],
  ] as const;
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text, wrap: true },
      { type: 'FactSet', facts: facts.flatMap(([title, value]) => (value ? { title, value } : [])) },
    ],
  };
}
