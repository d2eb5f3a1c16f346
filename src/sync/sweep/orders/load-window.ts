import type { Privacy } from '../../../normalize/privacy/privacy.ts';
import { diffWindow, type WindowDiff } from '../../../plan/diff.ts';
import { LINES_RETRY } from '../../../plan/lines-retry.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { keepPayloads, loadOrders, type OrderToLoad } from '../../../warehouse/orders/load-orders.ts';
import { recordRejections } from '../../../warehouse/ops/record-rejections.ts';
import { analyzeGrownTables } from '../../../warehouse/db/statistics.ts';
import { type HeldOrder, readHeldOrders } from '../../../warehouse/orders/stored-orders.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { Needs, Sweep, SweepState } from '../../run/context.ts';
import { collectFields } from './collect-fields.ts';
import { finishWindow, type ReadDays } from './finish-window.ts';
import { distrustWindow, judgeMissing } from './judge-missing.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';
import { foreignReason } from '../../run/recognize-shop.ts';

/** Orders of one transaction. */
const CHUNK = 100;
/** New orders between two checks whether tables have grown several times over. */
const ORDERS_PER_CHECK = 1_000;

/** Orders that are written together once all of them are prepared. */
export type Chunk = {
  readonly prepared: Promise<readonly PromiseSettledResult<Prepared>[]>;
  /** Called when they are written, so that others may be fetched. */
  readonly release: () => void;
};

/** What to write for a window that was read. */
export type LoadPlan = {
  readonly reading: WholeWindow;
  /** Stored orders of the window, and of the orders listed in it. */
  readonly stored: readonly HeldOrder[];
  readonly held: ReadonlyMap<string, HeldOrder>;
  readonly diff: WindowDiff;
  /** New and changed orders, and those whose lines are due, in list order. */
  readonly toLoad: readonly Listed[];
  /** Why the rows look like another shop's; then none of them is loaded. */
  readonly foreign: string | undefined;
};

/** Compares what a walk returned with the stored orders. */
export async function planLoad(sweep: Sweep, reading: WholeWindow): Promise<LoadPlan> {
  const listed = reading.rows.map((row) => toListed(sweep.ports.privacy, row));
  const stored = await readStored(sweep.ports, reading);
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const diff = compareWithStored(sweep.ports, listed, stored);
  const foreign = await foreignReason(sweep, reading.window, reading.rows, stored);
  if (foreign !== undefined) {
    const nothing = { ...reading, rows: [], malformed: [] };
    return {
      reading: nothing,
      stored,
      held,
      diff: compareWithStored(sweep.ports, [], stored),
      toLoad: [],
      foreign,
    };
  }
  const wanted = new Set([...diff.added, ...diff.changed, ...diff.linesDue]);
  const toLoad = listed.filter(({ row }) => wanted.has(row.orderId));
  return { reading, stored, held, diff, toLoad, foreign };
}

/**
 * Updates the warehouse's orders of a window to what the walk returned: new and changed orders with their lines, marks
 * on missing ones, and in the last transaction the ledger of the days that are now complete. Earlier windows must be
 * written first, so that of two observations of an order the later one wins.
 *
 * @param read days that this window completes, or leaves partly read
 */
export async function writeWindow(
  sweep: Sweep,
  { reading, stored, held, diff, foreign }: LoadPlan,
  chunks: readonly Chunk[],
  read: ReadDays,
): Promise<void> {
  for (const { prepared, release } of chunks) {
    const orders = await prepared;
    // Write what came before the shop refused more, or a shop with a small quota would never make progress.
    await writeChunk(
      sweep,
      orders.flatMap((order) => (order.status === 'fulfilled' ? [order.value] : [])),
    );
    release();
    const failed = orders.find((order) => order.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  const isListed = new Set(reading.rows.map(({ orderId }) => orderId));
  const hasUnlisted = stored.some((order) => order.isInWindow && !isListed.has(order.orderId));
  // An order that moved into a window read before this one is stored there by now.
  const storedNow = hasUnlisted ? await readStored(sweep.ports, reading) : stored;
  const verdicts =
    foreign === undefined
      ? await judgeMissing(sweep, reading.window, storedNow, isListed)
      : distrustWindow(foreign);
  await loadListed(sweep, verdicts.moved, held, sweep.ports.now());
  await finishWindow(sweep, reading, diff, verdicts, held, read);
  if (reading.isUndated && foreign === undefined) recordAudit(sweep.state, reading);
  sweep.state.counters.orders_seen += reading.rows.length;
  const { shop, logger } = sweep.ports;
  const counts = { orders: reading.rows.length, added: diff.added.length, changed: diff.changed.length };
  logger.debug({ shop: shop.shopKey, from: reading.window.from.toString(), ...counts }, 'window loaded');
}

/** The window was read without dates, so it is as good as an audit. */
function recordAudit(state: Pick<SweepState, 'audit'>, { rows, total, askedAt }: WholeWindow): void {
  state.audit = { finishedAt: askedAt, orders: rows.length, total, live: undefined };
}

async function readStored(
  { db, lease }: Pick<Sweep['ports'], 'db' | 'lease'>,
  reading: WholeWindow,
): Promise<readonly HeldOrder[]> {
  const window = { ...reading.window, isUndated: reading.isUndated };
  const ids = reading.rows.map(({ orderId }) => orderId);
  return readHeldOrders(db, lease.shopId, window, ids);
}

type Loading = Needs<
  'api' | 'db' | 'lease' | 'now' | 'privacy' | 'recordRun' | 'shop' | 'signal',
  'counters' | 'fields' | 'problems' | 'questions'
>;

/** Loads orders from lists other than a window's. */
export async function loadListed(
  sweep: Loading,
  rows: readonly ListRow[],
  held: ReadonlyMap<string, HeldOrder>,
  seenAt: Temporal.Instant,
): Promise<void> {
  for (const chunk of splitIntoChunks(rows.map((row) => toListed(sweep.ports.privacy, row)))) {
    const preparing = chunk.map((order) => prepareOrder(sweep, order, held.get(order.row.orderId), seenAt));
    await writeChunk(sweep, await Promise.all(preparing));
  }
}

export function splitIntoChunks<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / CHUNK);
  return Array.from({ length: count }, (_, index) => items.slice(index * CHUNK, (index + 1) * CHUNK));
}

function toListed(privacy: Privacy, row: ListRow): Listed {
  return { row, fingerprint: privacy.fingerprint(row.raw) };
}

function compareWithStored(
  { shop, now }: Pick<Sweep['ports'], 'now' | 'shop'>,
  listed: readonly Listed[],
  stored: readonly HeldOrder[],
): WindowDiff {
  const lines = { maxAgeMs: shop.linesMaxAgeMs, retry: LINES_RETRY };
  const rows = listed.map(({ row, fingerprint }) => ({ orderId: row.orderId, fingerprint }));
  return diffWindow(rows, stored, lines, now());
}

async function writeChunk(
  { ports, state }: Needs<'db' | 'lease' | 'recordRun', 'counters' | 'fields' | 'problems'>,
  prepared: readonly Prepared[],
): Promise<void> {
  if (prepared.length === 0) return;
  const { db, lease } = ports;
  const { counters, problems } = state;
  const orders = prepared.flatMap(({ order }) => order ?? []);
  const unread = prepared.flatMap((order) => order.unread ?? []);
  const rejections = prepared.flatMap((order) => order.rejections);
  const keys = (found: typeof orders) => found.map(({ row }) => row.order_id);
  const fetched = orders.filter(({ lines }) => lines.kind === 'fetched');
  const added = orders.filter((order) => order.lastSeenAt === undefined).length;
  const changed = orders.filter(isChanged).length;
  if (added + changed > 0) await ports.recordRun();
  const { lines, newRejections } = await fenced(db, lease, async (tx) => {
    const lines = await loadOrders(tx, lease.shopId, orders);
    await keepPayloads(tx, lease.shopId, unread);
    const normalized = [
      { resource: 'order' as const, sourceKeys: keys(orders) },
      { resource: 'content' as const, sourceKeys: keys(fetched) },
    ];
    return { lines, newRejections: await recordRejections(tx, lease.shopId, normalized, rejections) };
  });
  // Lines that were read again, of an order that is otherwise the same.
  if (lines > 0) await ports.recordRun();
  for (const { payload } of [...orders, ...unread]) collectFields(state.fields.order, payload);
  counters.newRejections += newRejections;
  counters.rejections += rejections.length;
  const before = counters.orders_new;
  counters.orders_new += added;
  if (mayHaveGrown(before, counters.orders_new)) await analyzeGrownTables(db);
  counters.orders_changed += changed;
  problems.push(...prepared.flatMap(({ failure }) => failure ?? []));
}

/**
 * After the first new orders of a run, since the plans made for their checks serve all later ones, and from time to
 * time.
 */
function mayHaveGrown(before: number, orders: number): boolean {
  const step = (count: number) => Math.ceil(count / ORDERS_PER_CHECK);
  return before === 0 ? orders > 0 : step(before) < step(orders);
}

function isChanged({ lastSeenAt, changedAt, seenAt }: OrderToLoad): boolean {
  return lastSeenAt !== undefined && changedAt.equals(seenAt);
}
