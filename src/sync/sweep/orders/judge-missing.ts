import { nextStep } from '../../../model/next-step.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { isPast } from '../../../plan/clock/clock-bounds.ts';
import {
  judgeUnlisted,
  mayMarkMissing,
  needsControl,
  needsPresence,
  type Presence,
  type UnlistedVerdict,
} from '../../../plan/orders/unlisted.ts';
import type { ListRow, OrdersQuery } from '../../../shop-api/endpoints/list-orders.ts';
import { readDatabaseClock } from '../../../warehouse/db/instant.ts';
import { type Contact, readContacts } from '../../../warehouse/orders/order-persons.ts';
import { type HeldOrder, isDeleted } from '../../../warehouse/orders/stored-orders.ts';
import { isInWindow, type Window } from '../../../model/window.ts';
import { attempt } from '../../ask/record-faults.ts';
import type { Ports, Sweep } from '../../run/context.ts';

/** What happens to a window's stored orders that its walk did not return. */
export type MissingVerdicts = {
  readonly mark: readonly string[];
  readonly delete: readonly string[];
  /** Orders whose created time changed, each with its row as listed now. */
  readonly moved: readonly ListRow[];
  /** Why the whole window is not proven after all: so many orders disappeared that it looks like a fault. */
  readonly doubt: string | undefined;
  /** Why single orders are in doubt that were not listed and are not known to be gone, and the days that they hold up. */
  readonly doubts: { readonly reason: string; readonly days: readonly string[] } | undefined;
};

const NOTHING: MissingVerdicts = { mark: [], delete: [], moved: [], doubt: undefined, doubts: undefined };

/**
 * Asks the shop about each order that its list omitted, since an incomplete list looks like a deletion.
 *
 * @param stored orders that are stored in the window, or listed in it
 * @param among number of live orders to compare the omitted ones with
 */
export async function judgeMissing(
  sweep: Sweep,
  window: Window,
  stored: readonly HeldOrder[],
  listed: ReadonlySet<string>,
  among: number,
): Promise<MissingVerdicts> {
  const { shopKey } = sweep.ports.shop;
  const unlisted = stored.filter((order) => !listed.has(order.orderId) && !isDeleted(order));
  const live = unlisted.filter((order) => !order.isMarked);
  if (!sweep.ports.acceptsMissing && !mayMarkMissing(among, live.length)) {
    return distrustWindow(describeDisappearance(live.length, among, shopKey));
  }
  for (const orderId of listed) sweep.state.suspects.delete(orderId);
  if (unlisted.length === 0) return NOTHING;
  const isOutside = (row: ListRow) => {
    const created = createdMinute(row.raw, sweep.ports.shop);
    // An order that lost its date is outside every window.
    return created === undefined || !isInWindow(window, created);
  };
  const findings = await investigate(sweep, unlisted, among);
  const moved = findings.flatMap(({ row }) => (row && isOutside(row) ? [row] : []));
  const rest = findings.filter(({ row }) => row === undefined || !isOutside(row));
  const withVerdict = (wanted: string) =>
    rest.flatMap(({ order, verdict }) => (verdict === wanted ? [order.orderId] : []));
  const doubted = rest.filter(({ row, verdict }) => row !== undefined || verdict === 'doubt');
  const doubts = doubted.length === 0 ? undefined : describeDoubts(doubted, shopKey);
  if (doubts !== undefined) sweep.state.problems.push(doubts.reason);
  return { mark: withVerdict('mark'), delete: withVerdict('delete'), moved, doubt: undefined, doubts };
}

/** Distrusts the whole window. @param doubt why */
export function distrustWindow(doubt: string): MissingVerdicts {
  return { ...NOTHING, doubt };
}

type Finding = {
  readonly order: HeldOrder;
  readonly presence: Presence;
  /** The order as another list shows it. */
  readonly row: ListRow | undefined;
  readonly verdict: UnlistedVerdict;
};

async function investigate(
  sweep: Sweep,
  unlisted: readonly HeldOrder[],
  heldLive: number,
): Promise<readonly Finding[]> {
  const { acceptsMissing, db, lease, questions, signal } = sweep.ports;
  const { suspects } = sweep.state;
  const now = sweep.ports.now();
  // By the database's clock, since another process may have recorded the suspect.
  const databaseNow = await readDatabaseClock(db);
  const ids = unlisted.map(({ orderId }) => orderId);
  const contacts = await readContacts(db, lease.shopId, ids);
  const inQuestion = unlisted.filter(({ missingSince }) => needsPresence(missingSince, now)).length;
  const isControlled = needsControl(inQuestion, heldLive);
  const askPresence = async ({ orderId, missingSince }: HeldOrder) =>
    needsPresence(missingSince, now) ? questions.presence(orderId, isControlled, signal) : 'unknown';
  const presences = await Promise.all(unlisted.map(askPresence));
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
    const suspected = row === undefined ? suspects.get(orderId) : undefined;
    const since = suspected && isPast(suspected, databaseNow) ? suspected : undefined;
    const suspectMs = since && databaseNow.epochMilliseconds - since.epochMilliseconds;
    const verdict = judgeUnlisted(missingSince, suspectMs, presence, acceptsMissing, now);
    if (verdict !== 'doubt' || row !== undefined) suspects.delete(orderId);
    else if (since === undefined) suspects.set(orderId, databaseNow);
    return { order, presence, row, verdict };
  });
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

/** Gives up on a buyer with more pages of orders; the order is found when its new day is due. */
const MAX_BUYER_PAGES = 10;
/** List requests that check "gone" answers that a temporary fault would give too. */
const MAX_SEEMINGLY_GONE = 10;

/** An order that its window's list omitted, and what the shop said about it. */
type Asked = {
  readonly order: HeldOrder;
  readonly presence: Presence | 'seems-gone';
  readonly contact: Contact | undefined;
};

type AskPorts = Pick<Ports, 'api' | 'shop' | 'signal'>;

/**
 * Looks for orders in other lists than their window's: orders that are still served, since they may have moved, and a
 * few that only seem to be gone, since list and content may have failed at the same time.
 */
async function lookElsewhere(
  { ports }: { readonly ports: AskPorts },
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, ListRow>> {
  const served = asked.filter(({ presence }) => presence === 'served');
  const seeming = asked.filter(({ presence }) => presence === 'seems-gone').slice(0, MAX_SEEMINGLY_GONE);
  const rows = await Promise.all(
    [...served, ...seeming].map(async ({ order, contact }) => ({
      orderId: order.orderId,
      row: contact && (await findRow(ports, order.orderId, contact)),
    })),
  );
  return new Map(rows.flatMap(({ orderId, row }) => (row === undefined ? [] : [[orderId, row]])));
}

/** Looks for an order among its buyer's, page by page, since the list cannot be filtered by order id. */
async function findRow(
  { api, shop, signal }: AskPorts,
  orderId: string,
  contact: Contact,
): Promise<ListRow | undefined> {
  const query = queryFor(contact);
  if (query === undefined) return undefined;
  let start = 0;
  for (let pages = 0; pages < MAX_BUYER_PAGES; pages++) {
    const page = await attempt(api.listOrders({ ...query, start, limit: shop.pageLimit }, signal), signal);
    const row = page?.rows.find((listed) => listed.orderId === orderId);
    if (row !== undefined || page === undefined || page.received === 0) return row;
    start += page.received;
  }
  return undefined;
}

function queryFor({ buyerOid, email, phone, name }: Contact): OrdersQuery | undefined {
  if (buyerOid !== null) return { masterOid: buyerOid };
  if (email !== null) return { email };
  if (phone !== null) return { phone };
  return name === null ? undefined : { fio: name };
}
