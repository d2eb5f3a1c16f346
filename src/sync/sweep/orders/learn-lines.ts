import type { LineRelation } from '../../../line-facts.ts';
import { areLinesDoubtful, LineTally, MIN_ORDERS } from '../../../plan/orders/line-relations.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { countLiveOrders } from '../../../warehouse/orders/live-orders.ts';
import {
  type LinesInQuestion,
  markDoubts,
  readAllFacts,
  readLatestFacts,
} from '../../../warehouse/orders/due-lines.ts';
import type { Sweep } from '../../run/context.ts';

const MAX_AGE_HOURS = 24;
/** More often than daily, all stored orders are read only by sweeps that fetched so many contents that it hardly matters. */
const ORDERS_PER_CONTENT = 100;

/**
 * Learns from the latest orders how this shop's list rows tell their lines: once a day, and after new contents that are many, or contradict
 * what is known. Where that changes something, all stored lines are compared with it: some become doubtful, others are so no more.
 *
 * @param contents requests for contents in this sweep
 */
export async function learnLines({ ports, state, found }: Sweep, contents: number): Promise<void> {
  const { db, lease, now } = ports;
  const { lineRelations: known, lineRelationsAt: learnedAt } = state;
  const isOld = learnedAt === undefined || now().since(learnedAt).total('hours') >= MAX_AGE_HOURS;
  if (!isOld && contents < MIN_ORDERS && !found.isDoubtful) return;
  const shown = new LineTally().add(toFacts(await readLatestFacts(db, lease.shopId))).learn(known);
  const kept = shown.filter((relation) => known.includes(relation));
  const mayAdd =
    shown.length > kept.length &&
    (isOld || (await countLiveOrders(db, lease.shopId)) <= ORDERS_PER_CONTENT * contents);
  const relations = mayAdd ? await withUsual(ports, kept, shown) : kept;
  if (relations.join() !== known.join()) await remark(ports, relations);
  state.lineRelations = relations;
  if (isOld) state.lineRelationsAt = now();
}

/** Relations that are known, and of those that the latest orders show, those that orders of any age keep. */
async function withUsual(
  { db, lease, signal }: Sweep['ports'],
  known: readonly LineRelation[],
  shown: readonly LineRelation[],
): Promise<readonly LineRelation[]> {
  const tally = new LineTally();
  for await (const batch of readAllFacts(db, lease.shopId)) {
    signal.throwIfAborted();
    tally.add(toFacts(batch));
  }
  return shown.filter((relation) => known.includes(relation) || tally.isUsual(relation));
}

const toFacts = (orders: readonly LinesInQuestion[]) => orders.map(({ facts }) => facts);

async function remark(
  { db, lease, recordRun, signal }: Sweep['ports'],
  relations: readonly LineRelation[],
): Promise<void> {
  for await (const batch of readAllFacts(db, lease.shopId)) {
    signal.throwIfAborted();
    const wrong = batch.filter(({ isDoubtful, facts }) => isDoubtful !== areLinesDoubtful(relations, facts));
    if (wrong.length === 0) continue;
    const ids = (wasDoubtful: boolean) =>
      wrong.flatMap(({ orderId, isDoubtful }) => (isDoubtful === wasDoubtful ? [orderId] : []));
    await recordRun();
    await fenced(db, lease, async (tx) => {
      await markDoubts(tx, lease.shopId, 'doubtful', ids(false));
      await markDoubts(tx, lease.shopId, 'ok', ids(true));
    });
  }
}
