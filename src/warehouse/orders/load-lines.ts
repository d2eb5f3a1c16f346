import { sql } from 'drizzle-orm';

import type { Cleared } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Tx } from '../db/database.ts';
import { decimalText, decimalUnits } from '../../model/decimal.ts';
import { type LineRow, orderLines, orderPersons, orders } from '../schema/orders.ts';
import { rawOrderContents } from '../schema/raw.ts';
import { recordset, update, upsert } from '../db/upsert.ts';
import { dropDue, MOST_ATTEMPTS, putDue, toTriedRow } from '../ops/due.ts';

/** `doubtful`: fetched, but they contradict the list row. */
export type LinesState = 'pending' | 'ok' | 'failed' | 'doubtful';

export type LinesToLoad =
  | {
      readonly kind: 'fetched';
      readonly rows: readonly LineRow[];
      readonly fetchedAt: Temporal.Instant;
      /** They were doubtful, and are so until they are compared; so often they were asked for again. @default they were not */
      readonly doubtfulAttempts?: number | undefined;
      /** What is known to be impersonal of the answer. */
      readonly payload: Cleared<JsonObject>;
      /** What the answer holds beyond that; null: nothing, or nothing that may be stored. */
      readonly rest: Cleared<JsonObject> | null;
    }
  /** The lines stored until now stay. */
  | {
      readonly kind: 'failed';
      readonly attempts: number;
      readonly triedAt: Temporal.Instant;
      /** A sentence without values. */
      readonly reason: string;
    };

type OfOrder = {
  readonly orderId: string;
  readonly lines: LinesToLoad;
  /** This transaction wrote the order's first row: it has no other lines, and none are booked. @default false */
  readonly isNew?: boolean;
};

/** Writes lines of orders whose headers stay as they are. */
export async function loadLines(tx: Tx, shopId: number, toLoad: readonly OfOrder[]): Promise<void> {
  await replaceLines(tx, shopId, toLoad);
  const columns = toLoad.map(({ orderId, lines }) => ({ order_id: orderId, ...linesColumns(lines) }));
  await update(tx, orders, shopId, columns);
  const rests = toLoad.flatMap(({ orderId, lines }) =>
    lines.kind === 'fetched' ? [{ order_id: orderId, content_rest: lines.rest }] : [],
  );
  await update(tx, orderPersons, shopId, rests);
  await bookLines(tx, shopId, toLoad);
}

/**
 * What the header says of its lines, and what they add up to; that stays where none came.
 *
 * @param lines undefined: nobody has asked for them
 */
export function linesColumns(lines: LinesToLoad | undefined) {
  const columns = (state: LinesState, at: Temporal.Instant | null, attempts: number) => {
    const lines_attempts = Math.min(attempts, MOST_ATTEMPTS);
    return { lines_state: state, lines_fetched_at: at, lines_attempts };
  };
  if (lines === undefined) return columns('pending', null, 0);
  if (lines.kind === 'failed') return columns('failed', lines.triedAt, lines.attempts);
  const { doubtfulAttempts, fetchedAt, rows } = lines;
  const state = doubtfulAttempts === undefined ? 'ok' : 'doubtful';
  return { ...columns(state, fetchedAt, doubtfulAttempts ?? 0), ...addUpLines(rows) };
}

/** Books when lines are asked for again that did not come, or were doubtful; those that are in are asked for no more. */
export async function bookLines(tx: Tx, shopId: number, loaded: readonly OfOrder[]): Promise<void> {
  const rows = loaded.flatMap(({ orderId, lines }) => {
    if (lines.kind === 'failed')
      return [toTriedRow('lines', orderId, lines.attempts, lines.triedAt, lines.reason)];
    const { doubtfulAttempts, fetchedAt } = lines;
    return doubtfulAttempts === undefined
      ? []
      : [toTriedRow('lines', orderId, doubtfulAttempts, fetchedAt, null)];
  });
  await putDue(tx, shopId, rows);
  const booked = new Set(rows.map(({ key }) => key));
  const done = loaded.flatMap(({ orderId, isNew }) =>
    isNew === true || booked.has(orderId) ? [] : [orderId],
  );
  await dropDue(tx, shopId, 'lines', done);
}

/** Makes the lines of orders what was fetched, line by line, and keeps the answers. @returns lines removed, added or changed */
export async function replaceLines(tx: Tx, shopId: number, toLoad: readonly OfOrder[]): Promise<number> {
  const fetched = toLoad.flatMap(({ isNew, lines, orderId }) =>
    lines.kind === 'fetched' ? [{ ...lines, isNew, orderId }] : [],
  );
  // Numbers, not a count: they have a gap where a line could not be read.
  const kept = fetched.flatMap(({ isNew, orderId, rows }) =>
    isNew === true ? [] : [{ order_id: orderId, lines: rows.map((row) => row.line_no) }],
  );
  const removed = kept.length === 0 ? 0 : await removeOtherLines(tx, shopId, kept);
  const lines = fetched.flatMap(({ rows }) => rows.map((row) => ({ ...row, shop_id: shopId })));
  const written = await upsert(tx, orderLines, lines);
  const contents = fetched.map(({ orderId, payload, fetchedAt }) => {
    return { shop_id: shopId, order_id: orderId, payload, fetched_at: fetchedAt };
  });
  await upsert(tx, rawOrderContents, contents);
  return removed + written.length;
}

type KeptLines = { readonly order_id: string; readonly lines: readonly number[] };

/** Removes stored lines that the new lines of their order do not have. @returns how many */
async function removeOtherLines(tx: Tx, shopId: number, kept: readonly KeptLines[]): Promise<number> {
  const { rows } = await tx.execute(sql`
    DELETE FROM core.order_lines l
    USING ${recordset({ order_id: 'bigint', lines: 'smallint[]' }, kept)}
    WHERE l.shop_id = ${shopId} AND l.order_id = input.order_id AND l.line_no <> ALL (input.lines)
    RETURNING 1`);
  return rows.length;
}

type SummedLine = Pick<typeof orderLines.$inferInsert, 'line_total' | 'list_total' | 'quantity'>;

/** Of `numeric(14, 3)`. */
const MOST_DIGITS = 14;

/**
 * Adds up the lines of an order, after and before discount, and their units: null without lines, or where a line has none. A
 * list total of 0 of a line that costs something was not sent.
 *
 * @param lines amounts with two decimal digits and quantities with three, as the normalizers write them
 */
export function addUpLines(lines: readonly SummedLine[]) {
  const units = addUp(lines, 3, ({ quantity }) => quantity);
  return {
    lines_total: addUp(lines, 2, ({ line_total: total }) => total),
    list_total: addUp(lines, 2, ({ line_total: total, list_total: list }) =>
      list === '0.00' && total !== '0.00' ? null : list,
    ),
    units: units !== null && units.replace(/\D/g, '').length > MOST_DIGITS ? null : units,
  };
}

/** @param scale digits after the point */
function addUp(
  lines: readonly SummedLine[],
  scale: number,
  amountOf: (line: SummedLine) => string | null | undefined,
): string | null {
  const amounts = lines.flatMap((line) => amountOf(line) ?? []);
  if (lines.length === 0 || amounts.length < lines.length) return null;
  const sum = amounts.reduce((all, amount) => all + decimalUnits(amount), 0n);
  return decimalText(sum, scale);
}
