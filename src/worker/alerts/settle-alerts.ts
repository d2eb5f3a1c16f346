/** Finds out what is wrong with the shops, and raises and closes alerts accordingly. */
import { ALERT_CAUSES, type AlertCause, alertText } from '../../plan/alerts/alert-causes.ts';
import { judgeShops } from '../../sync/report/judge-shops.ts';
import type { Logger } from '../../sync/run/context.ts';
import type { Db } from '../../warehouse/db/database.ts';
import {
  closeAlerts,
  pruneAlerts,
  type RaisedAlert,
  raiseAlerts,
  withAlertsLocked,
} from '../../warehouse/ops/alerts.ts';

export type AlertsContext = {
  readonly db: Db;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** A worker that was down finds every shop stale: it sweeps them first. @default at once */
  readonly judgesStaleFrom?: Temporal.Instant;
};

/** Judges every shop of the warehouse, by a constant number of statements; none if another process is at it. */
export async function settleAlerts(context: AlertsContext): Promise<void> {
  const { db, logger } = context;
  const now = context.now();
  const raised = await withAlertsLocked(db, async (tx) => {
    const verdicts = await judgeShops(tx, now);
    const active = verdicts.flatMap(({ shopId, shopKey, cause, finding }): readonly RaisedAlert[] =>
      finding === undefined || isTooEarly(context, cause, now)
        ? []
        : [{ shopId, cause, text: alertText(shopKey, finding) }],
    );
    const over = verdicts.filter(({ finding }) => finding === undefined);
    await closeAlerts(tx, over, now);
    // Those of one time are delivered in the order of their numbers.
    const rank = ({ cause }: RaisedAlert) => ALERT_CAUSES.findIndex((known) => known === cause);
    const added = await raiseAlerts(
      tx,
      active.toSorted((a, b) => rank(a) - rank(b)),
      now,
    );
    await pruneAlerts(tx, now);
    const keys = new Map(verdicts.map(({ shopId, shopKey }) => [shopId, shopKey]));
    return added.map(({ shopId, cause }) => ({ shop: keys.get(shopId), cause }));
  });
  for (const alert of raised ?? []) logger.warn(alert, 'alert raised');
}

function isTooEarly({ judgesStaleFrom }: AlertsContext, cause: AlertCause, now: Temporal.Instant): boolean {
  if (cause !== 'stale' || judgesStaleFrom === undefined) return false;
  return Temporal.Instant.compare(now, judgesStaleFrom) < 0;
}
