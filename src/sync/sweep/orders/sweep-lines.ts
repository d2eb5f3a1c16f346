import { LINES_RETRY } from '../../../plan/orders/diff.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { loadLines, readDueLines } from '../../../warehouse/orders/load-lines.ts';
import { recordRejections } from '../../../warehouse/ops/record-rejections.ts';
import type { Sweep } from '../../run/context.ts';
import { fetchLines } from './prepare-order.ts';

const BATCH = 100;

/**
 * Retries lines that could not be fetched before, whatever the day of their order, once their back-off is over.
 *
 * @param mayAsk whether the time budget allows another batch
 */
export async function sweepLines(sweep: Sweep, mayAsk: () => boolean): Promise<void> {
  const { db, lease, now, recordRun, signal } = sweep.ports;
  const { counters, problems } = sweep.state;
  while (mayAsk()) {
    signal.throwIfAborted();
    const due = await readDueLines(db, lease.shopId, LINES_RETRY, BATCH, now());
    if (due.length === 0) return;
    const fetched = await Promise.all(
      due.map(async (wanted) => ({ orderId: wanted.orderId, ...(await fetchLines(sweep, wanted)) })),
    );
    const rejections = fetched.flatMap((order) => order.rejections);
    const found = fetched.flatMap(({ orderId, lines }) => (lines.kind === 'fetched' ? [orderId] : []));
    if (found.length > 0) await recordRun();
    const newRejections = await fenced(db, lease, async (tx) => {
      await loadLines(tx, lease.shopId, fetched);
      return recordRejections(tx, lease.shopId, [{ resource: 'content', sourceKeys: found }], rejections);
    });
    counters.newRejections += newRejections;
    counters.rejections += rejections.length;
    problems.push(...fetched.flatMap(({ failure }) => failure ?? []));
  }
}
