import { sql } from 'drizzle-orm';

import type { Cleared } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Tx } from '../db/database.ts';
import { decimalText, decimalUnits } from '../../model/decimal.ts';
import { orderLines, orderPersons, orders } from '../schema/orders.ts';
import { rawOrderContents } from '../schema/raw.ts';
import { recordset, update, upsert } from '../db/upsert.ts';
import { dropDue, type DueRow, putDue, toTriedRow } from '../ops/due.ts';

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
      /** What is known to be impersonal of the answer. */
      readonly payload: Cleared<JsonObject>;
      /** What the answer holds beyond that; null: nothing, or nothing that may be stored. */
      readonly rest: Cleared<JsonObject> | null;
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

const MAX_ATTEMPTS = 32_767;

/** What the header says of its lines. */
export const LINES_STATE = ['lines_state', 'lines_fetched_at', 'lines_attempts'] as const;

/** @param lines undefined: nobody has asked for them */
function linesState(lines: LinesToLoad | undefined) {
  if (lines === undefined) return { lines_state: 'pending', lines_fetched_at: null, lines_attempts: 0 };
  if (lines.kind === 'failed')
    return {
      lines_state: 'failed',
      lines_fetched_at: lines.triedAt,
      lines_attempts: clipped(lines.attempts),
    };
  const { doubtTries, fetchedAt } = lines;
  const state = doubtTries === undefined ? 'ok' : 'doubtful';
  return { lines_state: state, lines_fetched_at: fetchedAt, lines_attempts: clipped(doubtTries ?? 0) };
}

const clipped = (attempts: number) => Math.min(attempts, MAX_ATTEMPTS);

/** What the header says of its lines, and what they add up to; that stays where none came. */
export const linesColumns = (lines: LinesToLoad | undefined) => ({
  ...linesState(lines),
  ...(lines?.kind === 'fetched' && addUpLines(lines.rows)),
});

/** Writes lines of orders whose headers stay as they are. */
export async function loadLines(
  tx: Tx,
  shopId: number,
  toLoad: readonly { readonly orderId: string; readonly lines: LinesToLoad }[],
): Promise<void> {
  await replaceLines(tx, shopId, toLoad);
  const columns = toLoad.map(({ orderId, lines }) => ({ order_id: orderId, ...linesColumns(lines) }));
  await update(tx, orders, shopId, columns);
  const rests = toLoad.flatMap(({ orderId, lines }) =>
    lines.kind === 'fetched' ? [{ order_id: orderId, content_rest: lines.rest }] : [],
  );
  await update(tx, orderPersons, shopId, rests, 'escaped');
  await bookLines(tx, shopId, toLoad);
}

/**
 * Books when lines are asked for again that did not come, or were doubtful, and those of new orders that nobody has asked for; those
 * that are in are asked for no more.
 *
 * @param now when lines are due that nobody has asked for
 */
export async function bookLines(
  tx: Tx,
  shopId: number,
  loaded: readonly OrderLinesToLoad[],
  now?: Temporal.Instant,
): Promise<void> {
  const rows: DueRow[] = [];
  const done: string[] = [];
  for (const { orderId, lines } of loaded) {
    const { lines_state, lines_fetched_at, lines_attempts } = linesState(lines);
    const at = lines_fetched_at ?? now;
    const reason = lines?.kind === 'failed' ? lines.reason : null;
    if (lines_state === 'ok') done.push(orderId);
    else if (at) rows.push(toTriedRow('lines', orderId, lines_attempts, at, reason));
  }
  await putDue(tx, shopId, rows);
  await dropDue(tx, shopId, 'lines', done);
}

/** What an order holds of its lines, added up. */
export const LINE_SUMS = ['lines_total', 'list_total', 'units'] as const;

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
  const contents = fetched.map(({ orderId, payload, fetchedAt }) => {
    return { shop_id: shopId, order_id: orderId, payload, fetched_at: fetchedAt };
  });
  await upsert(tx, rawOrderContents, contents, { nul: 'escaped' });
  return removed + written.length;
}

/** Removes the lines that are not among those given of their order. @returns how many */
async function removeOtherLines(
  tx: Tx,
  shopId: number,
  given: readonly { readonly orderId: string; readonly rows: readonly LineRow[] }[],
) {
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
