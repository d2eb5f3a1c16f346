import { type SQL, sql } from 'drizzle-orm';

import type { Cleared } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Tx } from '../db/database.ts';
import {
  addUpLines,
  bookLines,
  type FetchedLines,
  linesState,
  type LinesToLoad,
  LINE_SUMS,
  NO_TOTALS,
  replaceLines,
} from './load-lines.ts';
import { makeDue } from '../ops/ledger.ts';
import { type BookkeepingColumn, type OrderRecord, orders } from '../schema/orders.ts';
import { rawOrders } from '../schema/raw.ts';
import { recordset, typesOf, upsert } from '../db/upsert.ts';
import { stampChanges } from '../ops/change-stamp.ts';
import { type PersonToKeep, writePersons } from './order-persons.ts';
import { ERASED_BELOW } from '../../model/persons.ts';
import { numberCodes } from './number-codes.ts';

/** An order as it is to be held from now on. */
export type OrderToLoad = {
  /** Its columns, but for the shop and the bookkeeping below. */
  readonly row: Cleared<Omit<OrderRecord, 'shop_id' | BookkeepingColumn>>;
  readonly fingerprint: string;
  /** The fields of the list row that are known to be impersonal. */
  readonly payload: Cleared<JsonObject>;
  readonly person: PersonToKeep;
  /** The instant at which the walk saw it. */
  readonly seenAt: Temporal.Instant;
  /** When it last changed; `seenAt` where it is new or changed. */
  readonly observedAt: Temporal.Instant;
  /** The last instant at which it was seen in the state held until now; undefined where it is new. */
  readonly lastSeenAt: Temporal.Instant | undefined;
  readonly lines: LinesToLoad;
};

/**
 * Writes orders whole: codes and buyers they refer to, headers, lines, history and payloads.
 *
 * @returns lines removed, added or changed
 */
export async function loadOrders(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<number> {
  if (toLoad.length === 0) return 0;
  const rows = toLoad.map(({ row }) => row);
  // Before any row is locked, as wherever orders change: a window may be concluded at the same time.
  const changedAt = await stampChanges(tx, shopId);
  await addReferences(tx, shopId, rows);
  await makeDue(tx, shopId, leftDays(shopId, rows));
  const headers = toLoad.map((order) => toHeader(shopId, order, order.lines, changedAt));
  const written = await writeHeaders(tx, headers, ['first_seen_at'], ['observed_at', 'views']);
  // A time that no transaction before this one wrote.
  const added = new Set(
    written.filter((row) => row.stored_at?.equals(changedAt)).map(({ order_id }) => order_id),
  );
  const given = toLoad.map((order) => {
    const { order_id: orderId } = order.row;
    const contentRest = order.lines.kind === 'fetched' ? order.lines.rest : undefined;
    return { ...order, orderId, isNew: added.has(orderId), contentRest };
  });
  const lines = await replaceLines(tx, shopId, given);
  const withPerson = given.filter(({ isNew, person }) => !isNew || person !== null);
  await writePersons(tx, shopId, withPerson);
  await keepPayloads(tx, shopId, given);
  await bookLines(tx, shopId, given);
  return lines;
}

const PLACE = typesOf(orders, ['order_id', 'created_on']);

/** Days that hold orders which are about to be stored on others: a subquery in parentheses. */
function leftDays(shopId: number, rows: readonly OrderToLoad['row'][]): SQL {
  return sql`(
    SELECT DISTINCT o.created_on FROM ${recordset(PLACE, rows)}
    JOIN core.orders o ON o.shop_id = ${shopId} AND o.order_id = given.order_id
    WHERE o.created_on <> coalesce(given.created_on, '-infinity') AND o.missing_since IS NULL AND o.deleted_at IS NULL)`;
}

/** A row to write, with the sums of its lines where they were fetched. */
type Header = { readonly record: OrderRecord; readonly hasLines: boolean };

/** @param lines undefined: nobody has asked for them */
export function toHeader(
  shopId: number,
  order: Pick<OrderToLoad, 'row' | 'fingerprint' | 'seenAt' | 'observedAt'>,
  lines: LinesToLoad | FetchedLines | undefined,
  writtenAt: Temporal.Instant,
): Header {
  const rows = lines?.kind === 'fetched' ? lines.rows : undefined;
  const record = {
    ...order.row,
    ...linesState(lines),
    ...(rows === undefined ? NO_TOTALS : addUpLines(rows)),
    changed_at: writtenAt,
    stored_at: writtenAt,
    shop_id: shopId,
    fingerprint: order.fingerprint,
    first_seen_at: order.seenAt,
    observed_at: order.observedAt,
    missing_since: null,
    deleted_at: null,
  };
  return { record, hasLines: rows !== undefined };
}

/**
 * Writes headers where they differ. The lines held until now stay where none were fetched, and so do their sums.
 *
 * @param kept columns that a stored order keeps
 * @param silent columns that are written only with others
 * @returns those that are new or changed
 */
export async function writeHeaders(
  tx: Tx,
  headers: readonly Header[],
  kept: readonly BookkeepingColumn[],
  silent: readonly (keyof OrderRecord)[],
) {
  const options = { silent, returning: ['order_id', 'stored_at'] } as const;
  const write = (hasLines: boolean, sums: readonly BookkeepingColumn[]) => {
    const records = headers.filter((header) => header.hasLines === hasLines).map(({ record }) => record);
    return upsert(tx, orders, records, {
      ...options,
      insertOnly: ['changed_at', 'stored_at', ...kept, ...sums],
    });
  };
  const written = await write(true, []);
  return [...written, ...(await write(false, LINE_SUMS))];
}

/** The list row of an order, as it may be stored. */
export type OrderPayload = {
  readonly orderId: string;
  readonly payload: Cleared<JsonObject>;
  readonly seenAt: Temporal.Instant;
};

/** Keeps list rows for a replay; of an order of which no row could be made it is all that is kept. */
export async function keepPayloads(tx: Tx, shopId: number, toKeep: readonly OrderPayload[]): Promise<void> {
  const rows = toKeep.map(({ orderId, payload, seenAt }) => ({
    shop_id: shopId,
    order_id: orderId,
    payload,
    fetched_at: seenAt,
  }));
  await upsert(tx, rawOrders, rows, { nul: 'escaped' });
}

type References = Pick<OrderRecord, 'status_code' | 'pay_status_code' | 'buyer_oid'>;

const REFERENCES = typesOf(orders, ['status_code', 'pay_status_code', 'buyer_oid']);

/**
 * Adds what orders refer to and the warehouse does not hold yet: codes that the shop made up, which count as no sale until
 * an analyst classifies them, and buyers, of whom only the number is known before the user is fetched.
 */
export async function addReferences(tx: Tx, shopId: number, rows: readonly References[]): Promise<void> {
  await tx.execute(sql`
    WITH given AS MATERIALIZED (SELECT * FROM ${recordset(REFERENCES, rows)}),
    codes AS (
      INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
      SELECT ${shopId}, status_code, status_code, 'unknown', false, false, false FROM given
      GROUP BY status_code ORDER BY status_code
      ON CONFLICT DO NOTHING
    ), payment_codes AS (
      INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented)
      SELECT ${shopId}, pay_status_code, pay_status_code, false FROM given
      GROUP BY pay_status_code ORDER BY pay_status_code
      ON CONFLICT DO NOTHING
    )
    INSERT INTO core.users (shop_id, user_oid, fetch_state)
    SELECT ${shopId}, buyer_oid, CASE WHEN buyer_oid < ${ERASED_BELOW.toString()}::bigint THEN 'erased' ELSE 'pending' END
    FROM given WHERE buyer_oid IS NOT NULL
    GROUP BY buyer_oid ORDER BY buyer_oid
    ON CONFLICT DO NOTHING`);
  await numberCodes(
    tx,
    shopId,
    rows.flatMap((row) => [row.status_code, row.pay_status_code]),
  );
}
