import { sql } from 'drizzle-orm';

import type { Cleared } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Tx } from '../db/database.ts';
import { orderLines, orders } from '../schema/orders.ts';
import { rawOrderContents } from '../schema/raw.ts';
import { recordset, typesOf, upsert } from '../db/upsert.ts';
import { dropDue, type DueRow, putDue, toTriedRow } from '../ops/due.ts';
import { keepContentRests } from './order-persons.ts';

type LineRow = Omit<typeof orderLines.$inferSelect, 'shop_id'>;

/** `doubtful`: fetched, but they contradict the list row. */
export type LinesState = 'pending' | 'ok' | 'failed' | 'doubtful';

export type LinesToLoad =
  | {
      readonly kind: 'fetched';
      readonly rows: readonly LineRow[];
      readonly fetchedAt: Temporal.Instant;
      /** They were doubtful, and are so until they are compared; so often they were asked for again. @default they were not */
      readonly doubtTries?: number | undefined;
      /** What is known to be impersonal of the answer; undefined: what is stored stays. */
      readonly payload: Cleared<JsonObject> | undefined;
      /** What the answer holds beyond that; null: nothing, or nothing that may be stored. */
      readonly rest: Cleared<JsonObject> | null;
    }
  /** The lines held until now stay, since the order did not change, and were not asked for. */
  | {
      readonly kind: 'kept';
      readonly state: LinesState;
      readonly attempts: number;
      readonly triedAt: Temporal.Instant;
    }
  /** The lines held until now stay. */
  | {
      readonly kind: 'failed';
      readonly attempts: number;
      readonly triedAt: Temporal.Instant;
      /** A sentence without values. */
      readonly reason: string;
    };

export type OrderLinesToLoad = {
  readonly orderId: string;
  /** Undefined: what is stored stays. */
  readonly lines: LinesToLoad | undefined;
  /** This transaction wrote the order's first row: there are no lines to take away. @default false */
  readonly isNew?: boolean;
};

export type OrderLines = { readonly orderId: string; readonly rows: readonly LineRow[] };

const MAX_ATTEMPTS = 32_767;

/** What the header says of its lines. @param lines undefined: nobody has asked for them */
export function linesState(lines: LinesToLoad | undefined) {
  if (lines === undefined) return { lines_state: 'pending', lines_fetched_at: null, lines_attempts: 0 };
  const isFetched = lines.kind === 'fetched';
  const attempts = isFetched ? (lines.doubtTries ?? 0) : lines.attempts;
  const fetchedState: LinesState = isFetched && lines.doubtTries !== undefined ? 'doubtful' : 'ok';
  return {
    lines_state: isFetched ? fetchedState : lines.kind === 'kept' ? lines.state : 'failed',
    lines_fetched_at: isFetched ? lines.fetchedAt : lines.triedAt,
    lines_attempts: Math.min(attempts, MAX_ATTEMPTS),
  };
}

/** Writes lines of orders whose headers stay as they are. */
export async function loadLines(
  tx: Tx,
  shopId: number,
  toLoad: readonly { readonly orderId: string; readonly lines: LinesToLoad }[],
): Promise<void> {
  if (toLoad.length === 0) return;
  await replaceLines(tx, shopId, toLoad);
  const states = toLoad.map(({ orderId, lines }) => ({
    order_id: orderId,
    ...linesState(lines),
    ...(lines.kind === 'fetched' ? addUpLines(lines.rows) : NO_TOTALS),
  }));
  // The lines held until now stay where none came, and so do their sums.
  await tx.execute(sql`
    UPDATE core.orders o SET lines_state = given.lines_state, lines_fetched_at = given.lines_fetched_at,
      lines_attempts = given.lines_attempts,
      lines_total = CASE WHEN given.lines_state <> 'failed' THEN given.lines_total ELSE o.lines_total END,
      list_total = CASE WHEN given.lines_state <> 'failed' THEN given.list_total ELSE o.list_total END,
      units = CASE WHEN given.lines_state <> 'failed' THEN given.units ELSE o.units END
    FROM ${recordset(STATE_COLUMNS, states)}
    WHERE o.shop_id = ${shopId} AND o.order_id = given.order_id`);
  const fetched = toLoad.flatMap(({ orderId, lines }) =>
    lines.kind === 'fetched' ? [{ orderId, rest: lines.rest }] : [],
  );
  await keepContentRests(tx, shopId, fetched);
  await bookLines(tx, shopId, toLoad);
}

/**
 * Books when lines are asked for again that did not come, or were doubtful, and those of new orders that nobody has asked for; those
 * that are in are asked for no more.
 */
export async function bookLines(
  tx: Tx,
  shopId: number,
  loaded: readonly OrderLinesToLoad[],
  now?: Temporal.Instant,
): Promise<void> {
  const rows: DueRow[] = [];
  const done: string[] = [];
  for (const { isNew, orderId, lines } of loaded) {
    if (lines === undefined && isNew === true && now) rows.push(toTriedRow('lines', orderId, 0, now, null));
    else if (lines?.kind === 'failed')
      rows.push(toTriedRow('lines', orderId, lines.attempts, lines.triedAt, lines.reason));
    else if (lines?.kind === 'fetched' && lines.doubtTries !== undefined)
      rows.push(toTriedRow('lines', orderId, lines.doubtTries, lines.fetchedAt, null));
    else if (lines?.kind === 'fetched') done.push(orderId);
  }
  await putDue(tx, shopId, rows);
  await dropDue(tx, shopId, 'lines', done);
}

/** What an order holds of its lines, added up. */
export const LINE_SUMS = ['lines_total', 'list_total', 'units'] as const;
const STATE = ['lines_state', 'lines_fetched_at', 'lines_attempts'] as const;
const STATE_COLUMNS = typesOf(orders, ['order_id', ...STATE, ...LINE_SUMS]);

/** Makes the lines of orders what was fetched, line by line, and keeps the answers. @returns lines removed, added or changed */
export async function replaceLines(
  tx: Tx,
  shopId: number,
  toLoad: readonly OrderLinesToLoad[],
): Promise<number> {
  const fetched = toLoad.flatMap(({ orderId, lines, isNew }) =>
    lines?.kind === 'fetched' ? [{ ...lines, orderId, isNew: isNew === true }] : [],
  );
  const held = fetched.filter(({ isNew }) => !isNew);
  const removed = held.length === 0 ? 0 : await removeOtherLines(tx, shopId, held);
  const lines = fetched.flatMap(({ rows }) => rows.map((row) => ({ ...row, shop_id: shopId })));
  const written = await upsert(tx, orderLines, lines);
  const contents = fetched.flatMap(({ orderId, payload, fetchedAt }) =>
    payload ? [{ shop_id: shopId, order_id: orderId, payload, fetched_at: fetchedAt }] : [],
  );
  await upsert(tx, rawOrderContents, contents, { nul: 'escaped' });
  return removed + written.length;
}

/** Removes the lines that are not among those given of their order. @returns how many */
async function removeOtherLines(tx: Tx, shopId: number, given: readonly OrderLines[]) {
  // Numbers, not a count: they have a gap where a line could not be read.
  const kept = given.map(({ orderId, rows }) => ({
    order_id: orderId,
    lines: rows.map((row) => row.line_no),
  }));
  const { rows } = await tx.execute(sql`
    DELETE FROM core.order_lines l
    USING ${recordset({ order_id: 'bigint', lines: 'smallint[]' }, kept)}
    WHERE l.shop_id = ${shopId} AND l.order_id = given.order_id AND l.line_no <> ALL (given.lines)
    RETURNING 1`);
  return rows.length;
}

type SummedLine = Pick<typeof orderLines.$inferInsert, 'line_total' | 'list_total' | 'quantity'>;

export const NO_TOTALS = { lines_total: null, list_total: null, units: null };

/** Of `numeric(14, 3)`, in thousandths. */
const MOST_UNITS = 10n ** 14n;

/**
 * Adds up the lines of an order, after and before discount, and their units: null without lines, or where a line has none. A
 * list total of 0 of a line that costs something was not sent.
 *
 * @param lines amounts with two decimal digits and quantities with three, as the normalizers write them
 */
export function addUpLines(lines: readonly SummedLine[]) {
  const units = addUp(lines.map(({ quantity }) => toParts(quantity, 3)));
  const isStorable = units !== undefined && units < MOST_UNITS && units > -MOST_UNITS;
  return {
    lines_total: toText(addUp(lines.map(({ line_total: total }) => toParts(total, 2))), 2),
    list_total: toText(addUp(lines.map(listCents)), 2),
    units: toText(isStorable ? units : undefined, 3),
  };
}

function listCents({ line_total: total, list_total: list }: SummedLine): bigint | undefined {
  const cents = toParts(list, 2);
  return cents === 0n && toParts(total, 2) !== 0n ? undefined : cents;
}

/** @param digits after the point */
function toParts(amount: string | null | undefined, digits: number): bigint | undefined {
  if (amount === null || amount === undefined) return undefined;
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(digits, '0')}`);
}

function addUp(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  if (known.length === 0 || known.length < amounts.length) return undefined;
  return known.reduce((sum, amount) => sum + amount, 0n);
}

function toText(parts: bigint | undefined, places: number): string | null {
  if (parts === undefined) return null;
  const digits = (parts < 0n ? -parts : parts).toString().padStart(places + 1, '0');
  return `${parts < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
