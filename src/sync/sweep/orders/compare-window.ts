import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { diffWindow, type WindowDiff } from '../../../plan/orders/diff.ts';
import { type HeldOrder, readHeldOrders } from '../../../warehouse/orders/stored-orders.ts';
import { describeMalformed, type Unidentified } from '../../ask/find-listed.ts';
import type { Ports, Sweep } from '../../run/context.ts';
import { type Listed, toListed } from './prepare-order.ts';
import { isInWindow, maxTime, minTime, type Window } from '../../../model/window.ts';
import { elementId, FARTHEST } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/reading.ts';

/** A window that was read, beside what is stored of it. */
export type ComparedWindow = {
  readonly reading: WholeWindow;
  /** Stored orders of the window, and of the orders listed in it. */
  readonly stored: readonly HeldOrder[];
  readonly held: ReadonlyMap<string, HeldOrder>;
  readonly diff: WindowDiff;
  /** New and changed orders, and those whose lines are due, in list order. */
  readonly toLoad: readonly Listed[];
  /** Listed orders that are out of reach, since no id tells them apart, and the days that they hold up. */
  readonly unidentified: readonly Unidentified[];
};

/** Compares what a walk returned with the stored orders. */
export async function compareWindow(sweep: Sweep, reading: WholeWindow): Promise<ComparedWindow> {
  const { now, privacy, shop } = sweep.ports;
  const stored = await readStored(sweep.ports, reading);
  const listed = reading.rows.map((row) => toListed(privacy, row));
  const rows = listed.map(({ row, fingerprint }) => ({ orderId: row.orderId, fingerprint }));
  const diff = diffWindow(rows, stored, shop.linesMaxAgeMs, now());
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const wanted = new Set([...diff.added, ...diff.changed, ...diff.linesDue]);
  const toLoad = listed.filter(({ row }) => wanted.has(row.orderId));
  // Of two orders under one id, one may lie in a window whose own list does not show the other.
  const found = reading.malformed.filter(
    (value) => elementId(value) !== undefined || isOf(shop, reading.window, value),
  );
  return { reading, stored, held, diff, toLoad, unidentified: describeMalformed(found, shop) };
}

function isOf(shop: Ports['shop'], window: Window, value: JsonValue): boolean {
  const created = isJsonObject(value) ? createdMinute(value, shop) : undefined;
  return created !== undefined && isInWindow(window, created);
}

/** The stored orders of a window, and of the orders listed in it. */
export async function readStored(
  { db, lease }: Pick<Ports, 'db' | 'lease'>,
  { window, rows }: WholeWindow,
): Promise<readonly HeldOrder[]> {
  const ids = rows.map(({ orderId }) => orderId);
  // What lies beyond the farthest dates is in no list.
  const asked = { from: maxTime(window.from, FARTHEST.from), to: minTime(window.to, FARTHEST.to) };
  return readHeldOrders(db, lease.shopId, asked, ids);
}
