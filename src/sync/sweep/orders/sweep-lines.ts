import { allowance } from '../../../plan/load/allowance.ts';
import { readDatabaseClock } from '../../../warehouse/db/rows.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { updateShopState } from '../../../warehouse/ops/stored-shop-state.ts';
import {
  type DueLines,
  learnLineRelations,
  markLines,
  readDueLines,
  readWrongMarks,
} from '../../../warehouse/orders/due-lines.ts';
import { loadLines } from '../../../warehouse/orders/load-lines.ts';
import type { Sweep } from '../../run/context.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { fetchContent, readContent } from './prepare-order.ts';

/** So many are requested at once, and no more if none of them improves: the shop has not recovered. */
const SAMPLE = 20;

/**
 * Asks again for lines that could not be fetched, or contradict their order, whatever its day, once their pause is over.
 *
 * @param hasFetched whether this sweep has fetched lines before
 */
export async function sweepLines(sweep: Sweep, hasFetched: boolean): Promise<void> {
  const { db, lease, hasTimeLeft, now, signal } = sweep.ports;
  await checkLines(sweep, hasFetched);
  while (hasTimeLeft()) {
    signal.throwIfAborted();
    const due = await readDueLines(db, lease.shopId, SAMPLE, now());
    if (due.length === 0) return;
    let better = 0;
    // As with orders, little is lost with a process that is killed.
    for (let start = 0; start < due.length;) {
      const part = due.slice(start, start + allowance(start));
      better += await retryLines(sweep, part);
      start += part.length;
    }
    better += await checkLines(sweep, true);
    if (better === 0) return;
  }
}

/** @returns how many could be fetched that could not before */
async function retryLines(sweep: Sweep, due: readonly DueLines[]): Promise<number> {
  const { privacy } = sweep.ports;
  const fetched = await Promise.all(
    due.map(async (wanted) => {
      const finds = privacy.finder(wanted.known);
      const content = await fetchContent(sweep, wanted.orderId);
      return { ...wanted, ...readContent(sweep, { ...wanted, finds }, content) };
    }),
  );
  const found = fetched.filter(({ lines }) => lines.kind === 'fetched');
  if (found.length > 0) sweep.state.counters.hasWritten = true;
  await writeNormalized(sweep, async (tx, shopId) => {
    await loadLines(tx, shopId, fetched);
    const sourceKeys = found.map(({ orderId }) => orderId);
    const rejections = fetched.flatMap((order) => order.rejections);
    return { normalized: [{ resource: 'content', sourceKeys }], rejections };
  });
  for (const { orderId, lines } of fetched)
    if (lines.kind === 'failed') sweep.state.lineFailures.set(orderId, lines.reason);
  return found.filter(({ isDoubtful }) => !isDoubtful).length;
}

/** Marks of one transaction. */
const BATCH = 1_000;

/**
 * Marks orders that their lines contradict, and unmarks those they no longer contradict, by `core.line_checks`: orders that changed
 * since that was done last; all of them where the latest ones show that the shop counts otherwise now.
 *
 * @returns how many are no longer doubtful
 */
async function checkLines({ ports, state }: Sweep, hasFetched: boolean): Promise<number> {
  const { db, lease, now, signal } = ports;
  const { lineRelationsAt: checkedAt } = state;
  if (!hasFetched && checkedAt !== undefined) return 0;
  const at = await readDatabaseClock(db);
  const relations = await learnLineRelations(db, lease.shopId);
  const isSame = relations.join() === state.lineRelations.join();
  // Before any order is compared with them; a process that is killed then compares all once more.
  const changes = { line_relations: [...relations], line_relations_at: null };
  if (!isSame) await fenced(db, lease, (tx) => updateShopState(tx, lease.shopId, changes, now()));
  let cleared = 0;
  for (let after: string | undefined; ;) {
    signal.throwIfAborted();
    const wrong = await readWrongMarks(db, lease.shopId, isSame ? checkedAt : undefined, after, BATCH);
    if (wrong.length === 0) break;
    after = wrong.at(-1)?.orderId;
    cleared += wrong.filter(({ isDoubtful }) => !isDoubtful).length;
    state.counters.hasWritten = true;
    await fenced(db, lease, (tx) => markLines(tx, lease.shopId, wrong, now()));
  }
  state.lineRelations = relations;
  state.lineRelationsAt = at;
  return cleared;
}
