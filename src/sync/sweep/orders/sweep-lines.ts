import { allowance } from '../../../plan/load/allowance.ts';
import { DOUBT_RETRY, LINES_RETRY } from '../../../plan/orders/diff.ts';
import { type DueLines, readDueLines } from '../../../warehouse/orders/due-lines.ts';
import { loadLines } from '../../../warehouse/orders/load-lines.ts';
import type { Sweep } from '../../run/context.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { fetchLines } from './prepare-order.ts';

/** The part of a sample that shows that asking for the rest is worth it. */
const ENOUGH_BETTER = 0.1;
const RETRIES = { failed: LINES_RETRY, doubtful: DOUBT_RETRY };

/**
 * Retries lines that could not be fetched before, whatever the day of their order, once their back-off is over; and lines that
 * contradict their order: at once, then a sample with each later sweep. If a tenth of it turns out better, the shop is asked for all.
 *
 * @param mayAsk whether the time budget allows another batch
 */
export async function sweepLines(sweep: Sweep, mayAsk: () => boolean): Promise<void> {
  const { db, lease, now, signal } = sweep.ports;
  const began = now();
  let doubts: 'none' | 'due' | 'all' = 'due';
  let written = 0;
  while (mayAsk()) {
    signal.throwIfAborted();
    const due = await readDueLines(db, lease.shopId, RETRIES, doubts, began, now());
    if (due.length === 0) return;
    const right = new Set<string>();
    // As with orders, little is lost with a process that is killed.
    for (let start = 0; start < due.length;) {
      const part = due.slice(start, start + allowance(written));
      for (const orderId of await retryLines(sweep, part)) right.add(orderId);
      start += part.length;
      written += part.length;
    }
    const sample = due.filter(({ attempts, isDoubtful }) => isDoubtful && attempts > 0);
    const better = sample.filter(({ orderId }) => right.has(orderId));
    if (sample.length > 0) doubts = better.length >= ENOUGH_BETTER * sample.length ? 'all' : 'none';
  }
}

/** @returns orders whose lines are as they should be */
async function retryLines(sweep: Sweep, due: readonly DueLines[]): Promise<ReadonlySet<string>> {
  const fetched = await Promise.all(
    due.map(async (wanted) => ({ orderId: wanted.orderId, ...(await fetchLines(sweep, wanted)) })),
  );
  const rejections = fetched.flatMap((order) => order.rejections);
  const found = fetched.flatMap(({ orderId, lines }) => (lines.kind === 'fetched' ? [orderId] : []));
  if (found.length > 0) await sweep.ports.recordRun();
  const normalized = [{ resource: 'content' as const, sourceKeys: found }];
  await writeNormalized(sweep, normalized, rejections, (tx, shopId) => loadLines(tx, shopId, fetched));
  for (const { orderId, failure } of fetched) {
    if (failure !== undefined) sweep.found.lineFailures.set(orderId, failure);
  }
  return new Set(
    fetched.flatMap(({ orderId, lines }) =>
      lines.kind === 'fetched' && lines.doubtTries === undefined ? [orderId] : [],
    ),
  );
}
