import type { LineRelation } from '../../../line-facts.ts';
import { areLinesDoubtful, LineTally, MIN_ORDERS } from '../../../plan/orders/line-relations.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { markDoubts } from '../../../warehouse/orders/due-lines.ts';
import {
  type LinesInQuestion,
  readAllFacts,
  readLatestFacts,
} from '../../../warehouse/orders/lines-in-question.ts';
import type { Sweep } from '../../run/context.ts';

const MAX_AGE_HOURS = 24;

/**
 * Learns from the latest orders how this shop's list rows tell their lines, once a day or after many new contents. All stored orders are
 * read only where that changes something; then lines that contradict it become doubtful, and others are doubtful no more.
 *
 * @param contents requests for contents in this sweep
 */
export async function learnLines({ ports, state }: Sweep, contents: number): Promise<void> {
  const { db, lease, now } = ports;
  const { lineRelations: known, lineRelationsAt: learnedAt } = state;
  const isOld = learnedAt === undefined || now().since(learnedAt).total('hours') >= MAX_AGE_HOURS;
  if (!isOld && contents < MIN_ORDERS) return;
  const shown = new LineTally().add(toFacts(await readLatestFacts(db, lease.shopId))).learn(known);
  const isNew = (relation: LineRelation) => !known.includes(relation);
  const tally = new LineTally();
  if (shown.some(isNew)) {
    for await (const batch of readAllFacts(db, lease.shopId)) tally.add(toFacts(batch));
  }
  const relations = shown.filter((relation) => !isNew(relation) || tally.isUsual(relation));
  if (relations.join() !== known.join()) await remark(ports, relations);
  state.lineRelations = relations;
  state.lineRelationsAt = now();
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
