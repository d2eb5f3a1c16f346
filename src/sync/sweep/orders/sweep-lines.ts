import type { LineRelation } from '../../../model/stored-order.ts';
import { isPast } from '../../../plan/clock/clock-bounds.ts';
import { allowance } from '../../../plan/load/allowance.ts';
import { DOUBT_RETRY, LINES_RETRY } from '../../../plan/orders/diff.ts';
import { areLinesDoubtful, LineTally, MIN_ORDERS } from '../../../plan/orders/line-relations.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import {
  type DueLines,
  type LinesInQuestion,
  markDoubts,
  readAllFacts,
  readDueLines,
  readLatestFacts,
} from '../../../warehouse/orders/due-lines.ts';
import { countLiveOrders } from '../../../warehouse/orders/live-orders.ts';
import { loadLines } from '../../../warehouse/orders/load-lines.ts';
import { readKnownPersons } from '../../../warehouse/orders/order-persons.ts';
import type { Sweep } from '../../run/context.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { fetchLines } from './prepare-order.ts';

/** The part of a sample that shows that asking for the rest is worth it. */
const ENOUGH_BETTER = 0.1;
const RETRIES = { failed: LINES_RETRY, doubtful: DOUBT_RETRY };

/**
 * Retries lines that could not be fetched before, whatever the day of their order, once their back-off is over; and lines that
 * contradict their order: at once, then a sample with each later sweep. If a tenth of it turns out better, the shop is asked for all.
 */
export async function sweepLines(sweep: Sweep): Promise<void> {
  const { db, lease, mayAsk, now, signal } = sweep.ports;
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
  const { db, lease, privacy } = sweep.ports;
  const ids = due.map(({ orderId }) => orderId);
  const persons = await readKnownPersons(db, lease.shopId, ids);
  const fetched = await Promise.all(
    due.map(async (wanted) => {
      const finds = privacy.finder(persons.get(wanted.orderId) ?? []);
      return { orderId: wanted.orderId, ...(await fetchLines(sweep, { ...wanted, finds })) };
    }),
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

const MAX_AGE_HOURS = 24;
/** More often than daily, all stored orders are read only by sweeps that fetched so many contents that it hardly matters. */
const ORDERS_PER_CONTENT = 100;

/**
 * Learns from the latest orders how this shop's list rows tell their lines: once a day, and after new contents that are many, or contradict
 * what is known. Where that changes something, all stored lines are compared with it: some become doubtful, others are so no more.
 */
export async function learnLines({ ports, state, found }: Sweep, contents: number): Promise<void> {
  const { db, lease, now } = ports;
  const { lineRelations: known, lineRelationsAt: learnedAt } = state;
  const isLearned = learnedAt !== undefined && isPast(learnedAt, now());
  const isOld = !isLearned || now().since(learnedAt).total('hours') >= MAX_AGE_HOURS;
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
