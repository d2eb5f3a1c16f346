import { sql } from 'drizzle-orm';

import type { Cleared } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Tx } from '../db/database.ts';
import {
  bookLines,
  LINE_SUMS,
  LINES_STATE,
  linesColumns,
  type LinesToLoad,
  replaceLines,
} from './load-lines.ts';
import { makeDue } from '../ops/ledger.ts';
import { BOOKKEEPING_COLUMNS, type BookkeepingColumn, type OrderRecord, orders } from '../schema/orders.ts';
import { rawOrders } from '../schema/raw.ts';
import { recordset, typesOf, upsert, valuesIn } from '../db/upsert.ts';
import { stampChanges } from '../ops/change-stamp.ts';
import { IS_LIVE } from './live-orders.ts';
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
  /** Undefined: what is stored stays. */
  readonly person: PersonToKeep | undefined;
  /** The instant at which the walk saw it. */
  readonly seenAt: Temporal.Instant;
  /** When it last changed; `seenAt` where it is new or changed. */
  readonly observedAt: Temporal.Instant;
  /** Undefined: what is stored stays. */
  readonly lines: LinesToLoad | undefined;
};

type LoadOptions = {
  /** Stored payloads were normalized again: nothing happened in the shop, and what only the sync keeps of an order stays. @default false */
  readonly isReread?: boolean;
  /** An order that was seen later by then stays as it was seen, whatever is written first. @default all are written */
  readonly now?: Temporal.Instant;
};

/** Orders that were not stored before, and how many rows were written. */
export type Loaded = {
  readonly added: ReadonlySet<string>;
  readonly headers: number;
  /** Lines removed, added or changed. */
  readonly lines: number;
};

/**
 * Writes orders whole: codes and buyers they refer to, headers, lines, history and payloads. Days that orders leave become due.
 */
export async function loadOrders(
  tx: Tx,
  shopId: number,
  given: readonly OrderToLoad[],
  { isReread = false, now }: LoadOptions = {},
): Promise<Loaded> {
  if (given.length === 0) return { added: new Set(), headers: 0, lines: 0 };
  // Before any row is locked, as wherever orders change: a window may be concluded at the same time.
  const changedAt = await stampChanges(tx, shopId);
  const stored = await readPlaces(tx, shopId, given);
  const toLoad = latest(given, stored, now).map((order) => {
    const { order_id: orderId } = order.row;
    return { ...order, orderId, isNew: !stored.has(orderId) };
  });
  const rows = toLoad.map(({ row }) => row);
  await addReferences(tx, shopId, rows);
  await makeDue(tx, shopId, leftDays(rows, stored, isReread));
  const headers = await writeHeaders(tx, shopId, toLoad, isReread, changedAt);
  const lines = await replaceLines(tx, shopId, toLoad);
  const people = toLoad.flatMap(({ orderId, isNew, lines, person }) => {
    if (person === undefined || (isNew && person === null)) return [];
    const isAnswered = person !== null && lines?.kind === 'fetched';
    return [{ orderId, person: isAnswered ? { ...person, content_rest: lines.rest } : person }];
  });
  await writePersons(tx, shopId, people);
  const payloads = toLoad.map(({ orderId, payload, seenAt }) => {
    return { shop_id: shopId, order_id: orderId, payload, fetched_at: seenAt };
  });
  await upsert(tx, rawOrders, payloads, { nul: 'escaped' });
  const added = toLoad.filter(({ isNew }) => isNew);
  const asked = toLoad.filter(({ lines, isNew }) => isNew || (lines && !isReread));
  await bookLines(tx, shopId, asked, changedAt);
  return { added: new Set(added.map(({ orderId }) => orderId)), headers, lines };
}

/** Where a stored order is counted, and since when it is as it is. */
type Place = {
  readonly order_id: string;
  /** Undefined where it is missing, or deleted, or has no date. */
  readonly day: string | null;
  readonly observed_at: Temporal.Instant;
};

async function readPlaces(tx: Tx, shopId: number, given: readonly OrderToLoad[]) {
  const { rows } = await tx.execute<Place>(sql`
    SELECT order_id, CASE WHEN ${IS_LIVE} THEN created_on END AS day, observed_at FROM core.orders
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(given.map(({ row }) => row.order_id))}`);
  return new Map(rows.map((row) => [row.order_id, row]));
}

/** Each order once, as it was seen last. What a clock said that ran ahead is no later than anything. */
function latest(
  given: readonly OrderToLoad[],
  stored: ReadonlyMap<string, Place>,
  now: Temporal.Instant | undefined,
): readonly OrderToLoad[] {
  const isLater = (one: Temporal.Instant, other: Temporal.Instant) =>
    Temporal.Instant.compare(one, other) > 0;
  const found = new Map<string, OrderToLoad>();
  for (const order of given) {
    const { order_id: orderId } = order.row;
    const [before, at] = [found.get(orderId), stored.get(orderId)?.observed_at];
    if (before && isLater(before.observedAt, order.observedAt)) continue;
    if (now && at && isLater(at, order.observedAt) && !isLater(at, now)) continue;
    found.set(orderId, order);
  }
  return [...found.values()];
}

/** Days that hold orders which are about to be stored on others; where nothing happened in the shop, also those others. */
function leftDays(
  rows: readonly OrderToLoad['row'][],
  stored: ReadonlyMap<string, Place>,
  isReread: boolean,
): readonly string[] {
  const moved = rows.flatMap(({ order_id, created_on }) => {
    const day = stored.get(order_id)?.day ?? undefined;
    if (day === undefined || day === created_on) return [];
    return isReread && created_on !== null && created_on !== undefined ? [day, created_on] : [day];
  });
  return [...new Set(moved)];
}

/** What an order keeps that was read again: all that no payload tells, but for the sums, which follow the lines. */
const KEPT = BOOKKEEPING_COLUMNS.filter((column) => !LINE_SUMS.some((sum) => sum === column));

/** Writes headers where they differ. Where no lines came those that are held stay, and what is said of them. @returns how many */
async function writeHeaders(
  tx: Tx,
  shopId: number,
  toLoad: readonly OrderToLoad[],
  isReread: boolean,
  writtenAt: Temporal.Instant,
): Promise<number> {
  const insertOnly = isReread ? KEPT : (['changed_at', 'stored_at', 'first_seen_at'] as const);
  const silent = isReread ? (['views'] as const) : (['observed_at', 'views'] as const);
  const times = { changed_at: writtenAt, stored_at: writtenAt };
  const marks = { missing_since: null, deleted_at: null };
  let written = 0;
  for (const held of [[], LINES_STATE]) {
    const records = toLoad
      .filter(({ lines }) => (lines !== undefined) === (held.length === 0))
      .map(({ fingerprint, lines, observedAt, row, seenAt }) => {
        const own = { shop_id: shopId, fingerprint, first_seen_at: seenAt, observed_at: observedAt };
        return { ...row, ...own, ...times, ...marks, ...linesColumns(lines) };
      });
    const changed = await upsert(tx, orders, records, { silent, insertOnly: [...insertOnly, ...held] });
    written += changed.length;
  }
  return written;
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
