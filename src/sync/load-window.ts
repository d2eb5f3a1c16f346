import { fingerprint } from '../normalize/fingerprint.ts';
import { diffWindow, type WindowDiff } from '../plan/diff.ts';
import { fenced } from '../warehouse/lease.ts';
import { keepPayloads, loadOrders, type OrderToLoad } from '../warehouse/load-orders.ts';
import { recordRejections } from '../warehouse/rejections.ts';
import { type HeldOrder, readHeldOrders } from '../warehouse/stored-orders.ts';
import type { ListRow } from '../shop-api/orders.ts';
import type { SweepDeps } from './deps.ts';
import { finishWindow, type ReadDays } from './finish-window.ts';
import { judgeMissing } from './judge-missing.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';
import type { WholeWindow } from './read-windows.ts';
import { LINES_RETRY_MS } from './sweep-lines.ts';

/** Orders of one transaction. */
const CHUNK = 100;

/**
 * Brings the warehouse's orders of a window to what the walk returned: new and changed ones with their lines, marks on
 * those that are missing, and with the last transaction the verdict on the days that are now complete.
 *
 * @param read days that this window completes, or leaves partly read
 * @param turn settles when the windows asked before this one are written, so that the later observation wins
 */
export async function loadWindow(
  deps: SweepDeps,
  reading: WholeWindow,
  read: ReadDays,
  turn: Promise<void>,
): Promise<void> {
  const listed = reading.rows.map(toListed);
  const { db, lease } = deps;
  const ids = listed.map(({ row }) => row.orderId);
  const window = { ...reading.window, isUndated: reading.isUndated };
  const stored = await readHeldOrders(db, lease.shopId, window, ids);
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const diff = diffOf(deps, listed, stored);
  const wanted = new Set([...diff.added, ...diff.changed, ...diff.linesDue]);
  const toLoad = listed.filter(({ row }) => wanted.has(row.orderId));
  const isListed = new Set(ids);
  const unlistedNow = async () => {
    if (stored.every((order) => !order.isInWindow || isListed.has(order.orderId))) return stored;
    // An order that moved into a window read before this one is written there by then.
    await turn;
    return readHeldOrders(db, lease.shopId, window, ids);
  };
  let isWritten = Promise.resolve();
  for (let start = 0; start < toLoad.length; start += CHUNK) {
    const prepared = await prepareAll(deps, toLoad.slice(start, start + CHUNK), held, reading.askedAt);
    await turn;
    await isWritten;
    isWritten = writeChunk(deps, prepared);
    // A rejection is met at the next await of it; this keeps it from counting as unhandled until then.
    isWritten.catch(() => undefined);
  }
  const verdicts = await judgeMissing(deps, reading.window, await unlistedNow(), isListed);
  const moved = verdicts.moved.map(toListed);
  const movedOrders = await prepareAll(deps, moved, held, deps.now());
  await turn;
  await isWritten;
  if (movedOrders.length > 0) await writeChunk(deps, movedOrders);
  await finishWindow(deps, reading, diff, verdicts, held, read);
  deps.tally.orders_seen += reading.rows.length;
  const { shop, logger } = deps;
  const counts = { orders: reading.rows.length, added: diff.added.length, changed: diff.changed.length };
  logger.debug({ shop: shop.shopKey, from: reading.window.from.toString(), ...counts }, 'window loaded');
}

/** Loads orders that were listed elsewhere than in a window. */
export async function loadListed(
  deps: SweepDeps,
  rows: readonly ListRow[],
  held: ReadonlyMap<string, HeldOrder>,
  seenAt: Temporal.Instant,
): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK) {
    const listed = rows.slice(start, start + CHUNK).map(toListed);
    await writeChunk(deps, await prepareAll(deps, listed, held, seenAt));
  }
}

function toListed(row: ListRow): Listed {
  return { row, fingerprint: fingerprint(row.raw) };
}

function diffOf(
  { shop, now }: SweepDeps,
  listed: readonly Listed[],
  stored: readonly HeldOrder[],
): WindowDiff {
  const lines = { maxAgeMs: shop.linesMaxAgeMs, retryMs: LINES_RETRY_MS };
  const rows = listed.map(({ row, fingerprint }) => ({ orderId: row.orderId, fingerprint }));
  return diffWindow(rows, stored, lines, now());
}

async function prepareAll(
  deps: SweepDeps,
  orders: readonly Listed[],
  held: ReadonlyMap<string, HeldOrder>,
  seenAt: Temporal.Instant,
): Promise<readonly Prepared[]> {
  return Promise.all(orders.map((order) => prepareOrder(deps, order, held.get(order.row.orderId), seenAt)));
}

async function writeChunk({ db, lease, tally }: SweepDeps, prepared: readonly Prepared[]): Promise<void> {
  const orders = prepared.flatMap(({ order }) => order ?? []);
  const unread = prepared.flatMap((order) => order.unread ?? []);
  const rejections = prepared.flatMap((order) => order.rejections);
  const keys = (found: typeof orders) => found.map(({ row }) => row.order_id);
  const fetched = orders.filter(({ lines }) => lines.kind === 'fetched');
  tally.newRejections += await fenced(db, lease, async (tx) => {
    await loadOrders(tx, lease.shopId, orders);
    await keepPayloads(tx, lease.shopId, unread);
    const normalized = [
      { resource: 'order' as const, sourceKeys: keys(orders) },
      { resource: 'content' as const, sourceKeys: keys(fetched) },
    ];
    return recordRejections(tx, lease.shopId, normalized, rejections);
  });
  tally.rejections += rejections.length;
  tally.orders_new += orders.filter((order) => order.lastSeenAt === undefined).length;
  tally.orders_changed += orders.filter(isChanged).length;
  tally.shortfalls.push(...prepared.flatMap(({ failure }) => failure ?? []));
}

function isChanged({ lastSeenAt, changedAt, seenAt }: OrderToLoad): boolean {
  return lastSeenAt !== undefined && changedAt.equals(seenAt);
}
