import { createdMinute } from '../../../normalize/order.ts';
import { mayMarkMissing } from '../../../plan/missing-verdict.ts';
import { judgeUnlisted, needsControl, needsPresence, type UnlistedVerdict } from '../../../plan/unlisted.ts';
import type { Presence } from '../../../shop-api/response-kind.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { isInWindow, type Window } from '../../../window.ts';
import { readContacts } from '../../../warehouse/orders/contacts.ts';
import { readDatabaseClock } from '../../../warehouse/db/database-clock.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { recordDayFailure } from '../../../warehouse/ops/ledger.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Needs } from '../../run/context.ts';
import { lookElsewhere } from './look-elsewhere.ts';

/** What becomes of the orders of a window that its walk did not return. */
export type MissingVerdicts = {
  readonly mark: readonly string[];
  readonly delete: readonly string[];
  /** They were given another created time; each with its row as it is listed now. */
  readonly moved: readonly ListRow[];
  /** Why the window as a whole is not proven after all: so many orders vanished that it looks like a fault. */
  readonly doubt: string | undefined;
  /**
   * Single orders that were not listed and are not known to be gone. Each is in the way of its own day alone, which is
   * noted already: in `days.doubtful` and as the day's failure in the ledger.
   */
  readonly doubts: readonly Doubt[];
};

type Doubt = {
  readonly orderId: string;
  /** The shop's day that the order is held under. */
  readonly day: string | undefined;
  readonly presence: Presence;
};

type Judging = Needs<
  'api' | 'db' | 'lease' | 'now' | 'shop' | 'signal',
  'acceptsMissing' | 'days' | 'problems' | 'questions' | 'suspects'
>;

/**
 * Asks the shop about each order that its list left out, since a list that is short by mistake looks like a deletion.
 *
 * @param stored what is held of the window, and of the orders that were listed in it
 * @param among live orders of which those of `stored` are a part @default those held of the window
 */
export async function judgeMissing(
  sweep: Judging,
  window: Window,
  stored: readonly HeldOrder[],
  listed: ReadonlySet<string>,
  among?: number,
): Promise<MissingVerdicts> {
  const held = stored.filter((order) => order.isInWindow && !isDeleted(order));
  const unlisted = held.filter((order) => !listed.has(order.orderId));
  const live = unlisted.filter((order) => !order.isMarked);
  const heldLive = among ?? held.filter((order) => !order.isMarked).length;
  if (!sweep.state.acceptsMissing && !mayMarkMissing(heldLive, live.length)) {
    return doubtAll(vanishedSentence(live.length, heldLive));
  }
  for (const orderId of listed) sweep.state.suspects.delete(orderId);
  if (unlisted.length === 0) return { mark: [], delete: [], moved: [], doubt: undefined, doubts: [] };
  const isOutside = (row: ListRow) => {
    const created = createdMinute(row.raw, sweep.ports.shop);
    // One that has lost its date is in no window.
    return created === undefined || !isInWindow(window, created);
  };
  const findings = await findOut(sweep, unlisted, heldLive);
  const moved = findings.flatMap(({ row }) => (row && isOutside(row) ? [row] : []));
  const rest = findings.filter(({ row }) => row === undefined || !isOutside(row));
  const of = (wanted: string) =>
    rest.flatMap(({ order, verdict }) => (verdict === wanted ? [order.orderId] : []));
  const doubts = rest
    .filter(({ row, verdict }) => row !== undefined || verdict === 'doubt')
    .map(({ order, presence }): Doubt => ({ orderId: order.orderId, day: order.createdOn, presence }));
  await recordDoubts(sweep, doubts);
  return { mark: of('mark'), delete: of('delete'), moved, doubt: undefined, doubts };
}

/** Of the window as a whole nothing is believed. @param doubt why */
export function doubtAll(doubt: string): MissingVerdicts {
  return { mark: [], delete: [], moved: [], doubt, doubts: [] };
}

type Finding = {
  readonly order: HeldOrder;
  readonly presence: Presence;
  /** The order as some other list shows it. */
  readonly row: ListRow | undefined;
  readonly verdict: UnlistedVerdict;
};

async function findOut(
  sweep: Judging,
  unlisted: readonly HeldOrder[],
  heldLive: number,
): Promise<readonly Finding[]> {
  const { db, lease, signal } = sweep.ports;
  const { acceptsMissing, questions, suspects } = sweep.state;
  const now = sweep.ports.now();
  // A doubt may be begun by one process and ended by another.
  const databaseNow = await readDatabaseClock(db);
  const contacts = await readContacts(
    db,
    lease.shopId,
    unlisted.map((order) => order.orderId),
  );
  const inQuestion = unlisted.filter(({ missingSince }) => needsPresence(missingSince, now)).length;
  const isControlled = needsControl(inQuestion, heldLive);
  const presenceOf = async ({ orderId, missingSince }: HeldOrder) =>
    needsPresence(missingSince, now) ? questions.presence(orderId, isControlled, signal) : 'unknown';
  const presences = await Promise.all(unlisted.map(presenceOf));
  const asked = unlisted.map((order, index) => {
    return { order, presence: presences[index] ?? 'unknown', contact: contacts.get(order.orderId) };
  });
  const found = await lookElsewhere(sweep, asked);
  const isWordDisproved = asked.some(
    ({ order, presence }) => presence === 'seems-gone' && found.has(order.orderId),
  );
  return asked.map(({ order, presence: said }): Finding => {
    const { orderId, missingSince } = order;
    const row = found.get(orderId);
    const seeming = row === undefined ? 'unknown' : 'served';
    const presence = said !== 'seems-gone' ? said : isWordDisproved ? seeming : 'gone';
    const since = row === undefined ? suspects.get(orderId) : undefined;
    const suspectMs = since && databaseNow.epochMilliseconds - since.epochMilliseconds;
    const verdict = judgeUnlisted(missingSince, suspectMs, presence, acceptsMissing, now);
    if (verdict !== 'doubt' || row !== undefined) suspects.delete(orderId);
    else if (since === undefined) suspects.set(orderId, databaseNow);
    return { order, presence, row, verdict };
  });
}

/** An order that is in doubt is in the way of its own day, and of no other. */
async function recordDoubts(
  { ports, state }: Needs<'db' | 'lease', 'days' | 'problems'>,
  doubts: readonly Doubt[],
): Promise<void> {
  const { db, lease } = ports;
  const { days, problems } = state;
  if (doubts.length === 0) return;
  const sentence = doubtSentence(doubts);
  const own = [...new Set(doubts.flatMap(({ day }) => day ?? []))];
  for (const day of own) days.doubtful.add(day);
  problems.push(sentence);
  const dates = own.map((day) => Temporal.PlainDate.from(day));
  await fenced(db, lease, (tx) => recordDayFailure(tx, lease.shopId, dates, sentence));
}

function doubtSentence(doubts: readonly Doubt[]): string {
  const unknown = doubts.filter(({ presence }) => presence === 'unknown').length;
  const answer =
    unknown === 0
      ? 'still serves their contents'
      : `answers for ${unknown} of them with neither a content nor a word that it keeps for missing orders`;
  return (
    `${doubts.length} orders were left out of the list, but the shop ${answer}; they count as missing when that lasts a ` +
    'day, or after backfill with --force --accept-missing'
  );
}

function isDeleted(order: HeldOrder): boolean {
  return order.isMarked && order.missingSince === undefined;
}

function vanishedSentence(missing: number, live: number): string {
  return (
    `${missing} of ${live} orders vanished from the shop's list at once, which looks like a fault of the shop: ` +
    'none was marked, and the days stay due; if they are deleted for good, run backfill with --force --accept-missing'
  );
}
