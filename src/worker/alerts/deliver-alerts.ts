/** Finds out what is wrong with the shops, raises and closes alerts accordingly, and delivers them to the webhook. */
import { setTimeout as sleep } from 'node:timers/promises';

import { ALERT_CAUSES } from '../../model/alert-facts.ts';
import { alertText, recoveryText } from '../../plan/alerts/alert-causes.ts';
import { judgeShops } from '../../sync/report/shop-report.ts';
import type { Logger } from '../../sync/run/context.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import {
  type AlertMessage,
  closeAlerts,
  pruneAlerts,
  raiseAlerts,
  type RaisedAlert,
  readNextMessage,
  recordDelivered,
  withAlertsLocked,
} from '../../warehouse/ops/alerts.ts';
import type { AlertNote, Webhook } from './webhook.ts';
import { databaseSentence } from '../../warehouse/db/database-error.ts';

type AlertsContext = {
  readonly db: Db;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** Whether it is too early to call shops stale: a worker that was down finds all shops stale, and sweeps them first. @default no */
  readonly isWarmingUp?: () => boolean;
};

/** Judges every shop of the warehouse with a constant number of statements; does nothing while another process does so. */
export async function settleAlerts(context: AlertsContext): Promise<void> {
  const { db, logger } = context;
  const now = context.now();
  const raised = await withAlertsLocked(db, async (tx) => {
    const verdicts = await judgeShops(tx, now);
    const active = verdicts.flatMap(({ shopId, shopKey, cause, finding }): readonly RaisedAlert[] =>
      finding === undefined || (cause === 'stale' && context.isWarmingUp?.() === true)
        ? []
        : [{ shopId, cause, text: alertText(shopKey, finding) }],
    );
    const over = verdicts.filter(({ finding }) => finding === undefined);
    await closeAlerts(tx, over, now);
    const added = await raiseAlerts(tx, active, now);
    await pruneAlerts(tx, now);
    const keys = new Map(verdicts.map(({ shopId, shopKey }) => [shopId, shopKey]));
    return added.map(({ shopId, cause }) => ({ shop: keys.get(shopId), cause }));
  });
  for (const alert of raised ?? []) logger.warn(alert, 'alert raised');
}

export type DeliveryContext = AlertsContext & {
  readonly webhook: Webhook;
  /** No message is begun after this. */
  readonly stopping: AbortSignal;
  /** Cuts off the message in flight, which is then sent again later. */
  readonly signal: AbortSignal;
};

/**
 * Delivers messages to the webhook, oldest first, until one fails: it holds up the others until the next pass, so that all
 * arrive in order. One that the webhook refuses is logged, and not sent again. Each is sent in the transaction that records
 * it, and only one process sends at a time: so a message arrives twice only if a process dies, or loses its database,
 * between the webhook's answer and the commit.
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
  const message = await readNextMessage(tx);
  if (message === undefined) return true;
  const about = { shop: message.shopKey, cause: message.cause, event: message.event };
  const failure = await webhook(toNote(message), signal);
  if (failure === undefined) logger.info(about, 'alert delivered');
  else logger.warn({ ...about, problem: failure.problem }, 'alert not delivered');
  if (failure !== undefined && !failure.isRefused) return true;
  await recordDelivered(tx, message, now());
  return false;
}

function toNote(message: AlertMessage): AlertNote {
  const { alertId, cause, event, raisedAt, recoveredAt, shopKey: shop } = message;
  const at = event === 'raised' ? raisedAt : (recoveredAt ?? raisedAt);
  const known = ALERT_CAUSES.find((name) => name === cause);
  const text = event === 'recovered' && known ? recoveryText(known, shop, raisedAt, at) : message.text;
  return { id: `${shop}-${alertId}-${event}`, shop, cause, event, at: at.toString(), text };
}

const EVERY_MS = 30_000;
const WARM_UP_MS = 120_000;
/** A stopping worker waits this long for the webhook's answer, since a message cut off is sent again. */
const STOP_WITHIN_MS = 3_000;

/** Raises, closes and delivers alerts once. A failure is logged: nothing depends on it, and the next pass catches up. */
export async function processAlerts(context: DeliveryContext): Promise<void> {
  try {
    await settleAlerts(context);
    await deliverAlerts(context);
  } catch (error) {
    if (context.signal.aborted) return;
    context.logger.warn({ reason: `the database: ${databaseSentence(error)}` }, 'alerts not sent');
  }
}

/** Processes alerts every half minute until the worker stops. */
export function startAlerts(context: Omit<DeliveryContext, 'signal'>): AsyncDisposable {
  const { stopping } = context;
  const abandoned = new AbortController();
  const { signal } = abandoned;
  const warmAtMs = performance.now() + WARM_UP_MS;
  // A monotonic clock: setting the system clock back does not lengthen it.
  const delivery = { ...context, signal, isWarmingUp: () => performance.now() < warmAtMs };
  const over = AbortSignal.any([stopping, signal]);
  const processUntilStopped = async () => {
    while (!over.aborted) {
      await processAlerts(delivery);
      await sleep(EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    }
  };
  const running = processUntilStopped();
  return {
    async [Symbol.asyncDispose]() {
      await Promise.race([running, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      abandoned.abort();
      await running;
    },
  };
}
