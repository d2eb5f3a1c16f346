/** How far an audit came, stored as its pages come: one that is interrupted goes on there, and does not begin again. */
import type { ListEnds, Placed } from '../../shop-api/paging/list-ends.ts';
import type { KeptProgress } from '../../shop-api/paging/read-shop-list.ts';
import { parseInstant } from '../../warehouse/db/instant.ts';
import { dropAuditParts, readAuditParts, saveAuditPart } from '../../warehouse/ops/audit-parts.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import type { ListEndsRecord } from '../../warehouse/schema/ops.ts';
import type { Run } from '../run/context.ts';

/** An audit says what was listed when it began: after so long, that is old. */
const MAX_AGE_HOURS = 24;
/** Elements of the list that have no number of an order may show a person. */
const ORDER_ID = /^\d+$/;

export type AuditProgress = KeptProgress & {
  /** When its first page was asked for. */
  readonly began: Temporal.Instant;
};

/**
 * @param mayResume whether it may go on where the last one was interrupted
 * @returns where to begin, and how to store how far it came
 */
export async function openAudit({ ports, state }: Run, mayResume: boolean): Promise<AuditProgress> {
  const { db, lease, now } = ports;
  const { shopId } = lease;
  const parts = await readAuditParts(db, shopId);
  const last = parts.at(-1);
  const since = last && parseInstant(last.began_at);
  const hours = since === undefined ? Infinity : now().since(since).total('hours');
  const isLater = since && state.audit && Temporal.Instant.compare(since, state.audit.finishedAt) <= 0;
  const isUsable = mayResume && hours >= 0 && hours < MAX_AGE_HOURS && isLater !== true;
  if (last !== undefined && !isUsable) await fenced(db, lease, (tx) => dropAuditParts(tx, shopId));
  const began = (isUsable ? since : undefined) ?? now();
  const from = last !== undefined && isUsable ? last : undefined;
  let kept = from?.orders_read ?? 0;
  return {
    began,
    from: from && {
      start: from.list_start,
      total: from.list_total ?? undefined,
      ends: toEnds(from.list_ends),
      ids: new Set(parts.flatMap(({ order_ids }) => order_ids)),
    },
    async keep({ start, total, ends, ids }) {
      const fresh = ids.values().drop(kept).toArray();
      if (fresh.length === 0) return;
      kept += fresh.length;
      const part = {
        orders_read: kept,
        began_at: began.toString(),
        list_start: start,
        list_total: total ?? null,
        list_ends: toRecord(ends),
        order_ids: fresh.filter((id) => ORDER_ID.test(id)),
      };
      await fenced(db, lease, (tx) => saveAuditPart(tx, shopId, part));
    },
  };
}

function toRecord({ below, above, last, ...order }: ListEnds): ListEndsRecord {
  const toText = ({ orderId, time }: Placed) => ({ orderId, time: time.toString() });
  return { below: below.map(toText), above: above.map(toText), last: last?.toString(), ...order };
}

function toEnds({ below, above, last, ...order }: ListEndsRecord): ListEnds {
  const toPlaced = ({ orderId, time }: ListEndsRecord['below'][number]) => {
    return { orderId, time: Temporal.PlainDateTime.from(time) };
  };
  return {
    below: below.map(toPlaced),
    above: above.map(toPlaced),
    last: last === undefined ? undefined : Temporal.PlainDateTime.from(last),
    ...order,
  };
}
