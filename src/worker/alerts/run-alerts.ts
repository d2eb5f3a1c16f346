import { setTimeout as sleep } from 'node:timers/promises';

import { databaseSentence } from '../../warehouse/db/database-error.ts';
import { deliverAlerts, type DeliveryContext } from './deliver-alerts.ts';
import { type AlertsContext, settleAlerts } from './settle-alerts.ts';
import { createWebhook, type WebhookOptions } from './webhook.ts';

const EVERY_MS = 30_000;
const WARM_UP = { minutes: 2 };
/** A stopping worker waits this long for the webhook's answer, since a message cut off is sent again. */
const STOP_WITHIN_MS = 3_000;

/** Raises, closes and delivers alerts once. A failure is logged: nothing depends on it, and the next pass catches up. */
export async function tellAlerts(context: DeliveryContext): Promise<void> {
  try {
    await settleAlerts(context);
    await deliverAlerts(context);
  } catch (error) {
    if (context.signal.aborted) return;
    context.logger.warn({ reason: databaseSentence(error) }, 'alerts not told');
  }
}

/** Does so now and again and again. */
export function startAlerts(
  { stopping, ...context }: AlertsContext & { readonly stopping: AbortSignal },
  webhook: WebhookOptions,
  everyMs = EVERY_MS,
): AsyncDisposable {
  const abandoned = new AbortController();
  const delivery = {
    ...context,
    stopping,
    webhook: createWebhook(webhook),
    signal: abandoned.signal,
    judgesStaleFrom: context.now().add(WARM_UP),
  };
  let isRunning = false;
  let running = Promise.resolve();
  const begin = () => {
    if (isRunning || stopping.aborted) return;
    isRunning = true;
    running = tellAlerts(delivery).finally(() => (isRunning = false));
  };
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.race([running, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      abandoned.abort();
      await running;
    },
  };
}
