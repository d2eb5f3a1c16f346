import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { createdMinute } from '../normalize/order.ts';
import { mayMarkMissing } from '../plan/missing-verdict.ts';
import { judgeUnlisted, needsPresence, type Presence } from '../plan/unlisted.ts';
import type { ListRow, OrdersQuery } from '../shop-api/orders.ts';
import type { Window } from '../plan/window-plan.ts';
import { type Contact, readContacts } from '../warehouse/contacts.ts';
import type { HeldOrder } from '../warehouse/stored-orders.ts';
import type { SweepDeps } from './deps.ts';

/** A buyer with more pages of orders than this is given up on; the order is met when its new day is due. */
const MAX_BUYER_PAGES = 10;

/** What becomes of the orders of a window that its walk did not return. */
export type MissingVerdicts = {
  readonly mark: readonly string[];
  readonly delete: readonly string[];
  /** They were given another created time; each with its row as it is listed now. */
  readonly moved: readonly ListRow[];
  /** Why the window is not proven after all. */
  readonly doubt: string | undefined;
};

/**
 * Asks the shop about each order that its list left out, since a list that is short by mistake looks like a deletion.
 *
 * @param stored what is held of the window, and of the orders that were listed in it
 */
export async function judgeMissing(
  deps: SweepDeps,
  window: Window,
  stored: readonly HeldOrder[],
  listed: ReadonlySet<string>,
): Promise<MissingVerdicts> {
  const held = stored.filter((order) => order.isInWindow && !isDeleted(order));
  const unlisted = held.filter((order) => !listed.has(order.orderId));
  const live = unlisted.filter((order) => !order.isMarked);
  const heldLive = held.filter((order) => !order.isMarked).length;
  if (!deps.acceptsMissing && !mayMarkMissing(heldLive, live.length)) {
    return { mark: [], delete: [], moved: [], doubt: vanishedSentence(live.length, heldLive) };
  }
  for (const orderId of listed) deps.doubted.delete(orderId);
  const now = deps.now();
  const contacts = await readContacts(
    deps.db,
    deps.lease.shopId,
    live.map((order) => order.orderId),
  );
  const findings = await Promise.all(
    unlisted.map(async (order) => {
      const presence = needsPresence(order.missingSince, now) ? await presenceOf(deps, order) : 'unknown';
      const contact = contacts.get(order.orderId);
      const row = presence === 'served' && contact ? await findRow(deps, order.orderId, contact) : undefined;
      const since = row === undefined ? deps.doubted.get(order.orderId) : undefined;
      const verdict = judgeUnlisted(order.missingSince, since, presence, now);
      // A content that could not be had says nothing either way.
      if (presence !== 'unknown')
        noteDoubt(deps, order.orderId, verdict === 'doubt' && row === undefined, now);
      return { order, row, verdict };
    }),
  );
  const isOutside = (row: ListRow) => !isIn(window, createdMinute(row.raw));
  const moved = findings.flatMap(({ row }) => (row && isOutside(row) ? [row] : []));
  const rest = findings.filter(({ row }) => row === undefined || !isOutside(row));
  const of = (wanted: string) =>
    rest.flatMap(({ order, verdict }) => (verdict === wanted ? [order.orderId] : []));
  const doubtful = rest.filter(({ row, verdict }) => row !== undefined || verdict === 'doubt');
  const doubt = `${doubtful.length} orders were left out of the list, but the shop does not say that they are gone`;
  return { mark: of('mark'), delete: of('delete'), moved, doubt: doubtful.length > 0 ? doubt : undefined };
}

/** Keeps since when an order is served, but not to be found in any list. */
function noteDoubt({ doubted }: SweepDeps, orderId: string, isDoubted: boolean, now: Temporal.Instant): void {
  if (!isDoubted) doubted.delete(orderId);
  else if (!doubted.has(orderId)) doubted.set(orderId, now);
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

/** An order that had lines and has none any more is gone by another word: the list does not show it either. */
async function presenceOf({ api, signal }: SweepDeps, order: HeldOrder): Promise<Presence> {
  try {
    const content = await api.orderContent(order.orderId, signal);
    if (content.kind === 'gone') return 'gone';
    return content.lines.length === 0 && order.lineCount > 0 ? 'gone' : 'served';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnavailableError) throw error;
    if (error instanceof TransientError || error instanceof TerminalError) return 'unknown';
    throw error;
  }
}

/** Looks for an order by its buyer, page by page, since the list cannot be asked for an identifier. */
async function findRow(deps: SweepDeps, orderId: string, contact: Contact): Promise<ListRow | undefined> {
  const query = queryFor(contact);
  if (query === undefined) return undefined;
  try {
    let start = 0;
    for (let pages = 0; pages < MAX_BUYER_PAGES; pages++) {
      const page = await deps.api.listOrders({ ...query, start, limit: deps.shop.pageLimit }, deps.signal);
      const row = page.rows.find((listed) => listed.orderId === orderId);
      if (row !== undefined || page.received === 0) return row;
      start += page.received;
    }
    return undefined;
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof UnavailableError) throw error;
    if (error instanceof TransientError || error instanceof TerminalError) return undefined;
    throw error;
  }
}

function queryFor({ buyerOid, email, phone, name }: Contact): OrdersQuery | undefined {
  if (buyerOid !== null) return { masterOid: buyerOid };
  if (email !== null) return { email };
  if (phone !== null) return { phone };
  return name === null ? undefined : { fio: name };
}

function isIn({ from, to }: Window, time: Temporal.PlainDateTime | undefined): boolean {
  if (time === undefined) return true;
  return Temporal.PlainDateTime.compare(time, from) >= 0 && Temporal.PlainDateTime.compare(time, to) < 0;
}
