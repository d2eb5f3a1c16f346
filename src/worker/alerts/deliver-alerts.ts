import { ALERT_CAUSES, recoveryText } from '../../plan/alerts/alert-causes.ts';
import { isGivenUp, retryDelayMs } from '../../plan/alerts/alert-retry.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import {
  type AlertMessage,
  readNextMessage,
  recordDelivered,
  recordFailedDelivery,
  withAlertsLocked,
} from '../../warehouse/ops/alerts.ts';
import type { AlertNote } from './alert-body.ts';
import type { AlertsContext } from './settle-alerts.ts';
import type { Webhook } from './webhook.ts';

export type DeliveryContext = AlertsContext & {
  readonly webhook: Webhook;
  /** No message is begun after this. */
  readonly stopping: AbortSignal;
  /** Cuts off the message in flight, which is then sent again later. */
  readonly signal: AbortSignal;
};

/**
 * Delivers what is due to the webhook, oldest first, until one message has to wait. Each is sent in the transaction that
 * records it, and only one process sends at a time: so a message arrives twice only if a process dies, or loses its
 * database, between the webhook's answer and the commit.
 */
export async function deliverAlerts(context: DeliveryContext): Promise<void> {
  for (;;) {
    if (context.stopping.aborted) return;
    const isDone = await withAlertsLocked(context.db, (tx) => deliverNext(context, tx));
    if (isDone ?? true) return;
  }
}

/** @returns whether nothing more can be delivered now */
async function deliverNext(context: DeliveryContext, tx: Tx): Promise<boolean> {
  const { logger, now, signal, webhook } = context;
  const message = await readNextMessage(tx, now());
  if (message === undefined || isAfter(message.retryAt, now())) return true;
  const about = { shop: message.shopKey, cause: message.cause, event: message.event };
  const failure = await webhook(toNote(message), signal);
  if (failure === undefined) {
    await recordDelivered(tx, message, now());
    logger.info(about, 'alert delivered');
    return false;
  }
  const { problem, isRefused, retryAfterMs } = failure;
  const attempts = message.attempts + 1;
  const retryAt = isGivenUp(messageTime(message), now())
    ? undefined
    : now().add({ milliseconds: retryDelayMs(attempts, retryAfterMs) });
  await recordFailedDelivery(tx, message, { problem, isRefused, retryAt }, now());
  const retry = retryAt?.toString() ?? null;
  logger.warn({ ...about, problem, attempts, retry_at: retry }, 'alert not delivered');
  // A message that was refused or given up does not hold up the others.
  return !isRefused && retryAt !== undefined;
}

function toNote(message: AlertMessage): AlertNote {
  const { alertId, cause, event, raisedAt, shopKey: shop } = message;
  const at = messageTime(message);
  const known = ALERT_CAUSES.find((name) => name === cause);
  const text = event === 'recovered' && known ? recoveryText(known, shop, raisedAt, at) : message.text;
  return { id: `${shop}-${alertId}-${event}`, shop, cause, event, at: at.toString(), text };
}

function messageTime({ event, raisedAt, recoveredAt }: AlertMessage): Temporal.Instant {
  return event === 'raised' ? raisedAt : (recoveredAt ?? raisedAt);
}

function isAfter(retryAt: Temporal.Instant | undefined, now: Temporal.Instant): boolean {
  return retryAt !== undefined && Temporal.Instant.compare(retryAt, now) > 0;
}
