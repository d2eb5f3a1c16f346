import { nextStep } from '../../../model/next-step.ts';
import { isPast } from '../../../plan/clock/clock-bounds.ts';
import {
  judgeUnlisted,
  mayMarkMissing,
  type Presence,
  type UnlistedVerdict,
} from '../../../plan/orders/unlisted.ts';
import { readDatabaseClock } from '../../../warehouse/db/instant.ts';
import { type HeldOrder, isDeleted } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';

/** What happens to a window's stored orders that its walk did not return. */
export type MissingVerdicts = {
  readonly mark: readonly string[];
  readonly delete: readonly string[];
  /** Why the whole window is not proven after all: so many orders disappeared that it looks like a fault. */
  readonly doubt: string | undefined;
  /** Why single orders are in doubt that were not listed and are not known to be gone, and the days that they hold up. */
  readonly doubts: { readonly reason: string; readonly days: readonly string[] } | undefined;
};

const NOTHING: MissingVerdicts = { mark: [], delete: [], doubt: undefined, doubts: undefined };

/**
 * Asks the shop about each order that its list omitted, since an incomplete list looks like a deletion.
 *
 * @param stored orders that are stored in the window, or listed in it
 * @param among number of live orders to compare the omitted ones with
 */
export async function judgeMissing(
  sweep: Sweep,
  stored: readonly HeldOrder[],
  listed: ReadonlySet<string>,
  among: number,
): Promise<MissingVerdicts> {
  const { acceptsMissing, shop } = sweep.ports;
  const unlisted = stored.filter((order) => !listed.has(order.orderId) && !isDeleted(order));
  const live = unlisted.filter((order) => !order.isMarked);
  if (!acceptsMissing && !mayMarkMissing(among, live.length))
    return { ...NOTHING, doubt: describeDisappearance(live.length, among, shop.shopKey) };
  for (const orderId of listed) sweep.state.suspects.delete(orderId);
  if (unlisted.length === 0) return NOTHING;
  const findings = await investigate(sweep, unlisted);
  const withVerdict = (wanted: UnlistedVerdict) => findings.filter(({ verdict }) => verdict === wanted);
  const doubted = withVerdict('doubt');
  const doubts = doubted.length === 0 ? undefined : describeDoubts(doubted, shop.shopKey);
  if (doubts !== undefined) sweep.state.problems.push(doubts.reason);
  const idsOf = (found: readonly Finding[]) => found.map(({ order }) => order.orderId);
  return { mark: idsOf(withVerdict('mark')), delete: idsOf(withVerdict('delete')), doubt: undefined, doubts };
}

type Finding = {
  readonly order: HeldOrder;
  readonly presence: Presence;
  readonly verdict: UnlistedVerdict;
};

async function investigate(sweep: Sweep, unlisted: readonly HeldOrder[]): Promise<readonly Finding[]> {
  const { acceptsMissing, db, now, questions, signal } = sweep.ports;
  const { suspects } = sweep.state;
  // By the database's clock, since another process may have recorded the suspect.
  const databaseNow = await readDatabaseClock(db);
  return Promise.all(
    unlisted.map(async (order): Promise<Finding> => {
      const { orderId, missingSince } = order;
      const presence = missingSince === undefined ? await questions.presence(orderId, signal) : 'unknown';
      const suspected = suspects.get(orderId);
      const since = suspected && isPast(suspected, databaseNow) ? suspected : undefined;
      const suspectMs = since && databaseNow.epochMilliseconds - since.epochMilliseconds;
      const verdict = judgeUnlisted(missingSince, suspectMs, presence, acceptsMissing, now());
      if (verdict !== 'doubt') suspects.delete(orderId);
      else if (since === undefined) suspects.set(orderId, databaseNow);
      return { order, presence, verdict };
    }),
  );
}

/** A doubtful order holds up its own day, and no other. */
function describeDoubts(doubts: readonly Finding[], shop: string): NonNullable<MissingVerdicts['doubts']> {
  const unknown = doubts.filter(({ presence }) => presence === 'unknown').length;
  const answer =
    unknown === 0 ? 'still serves their contents' : `gave no clear answer about ${unknown} of them`;
  const reason =
    `${doubts.length} orders were not listed, but the shop ${answer}; they count as missing if this lasts a day, or after ` +
    nextStep('accept deletions', { shop });
  return { reason, days: doubts.flatMap(({ order }) => order.createdOn ?? []) };
}

function describeDisappearance(missing: number, live: number, shop: string): string {
  return (
    `${missing} of ${live} orders disappeared from the shop's list at once, which looks like a fault of the shop: ` +
    'none was marked as missing, and the days stay due; if they were really deleted, run ' +
    nextStep('accept deletions', { shop })
  );
}
