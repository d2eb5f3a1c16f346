import { auditDue, isTotalApart } from '../../../plan/audit-due.ts';
import { countLiveOrders, holdsUndated } from '../../../warehouse/orders/live-orders.ts';
import { attempt } from '../../run/record-faults.ts';
import type { Needs } from '../../run/context.ts';

/**
 * Whether an audit is due now. If orders without a date are stored, which no window shows, the shop's total is checked
 * between two audits.
 */
export async function isAuditDue({
  ports,
  state: { audit },
}: Needs<'api' | 'db' | 'lease' | 'now' | 'signal', 'audit'>): Promise<boolean> {
  const { api, db, lease, now, signal } = ports;
  const due = auditDue(audit, now());
  if (due !== 'by total' || audit === undefined) return due === 'now';
  if (!(await holdsUndated(db, lease.shopId))) return false;
  const page = await attempt(api.listOrders({ limit: 1 }, signal), signal);
  if (page?.total === undefined) return false;
  return isTotalApart(audit, page.total, await countLiveOrders(db, lease.shopId));
}
