import { sql } from 'drizzle-orm';

import { type Cleared, ERASED_BELOW } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import { CODE_FORM, HIDDEN_CODE } from '../../model/status-codes.ts';
import type { Tx } from '../db/database.ts';
import { bookLines, linesColumns, type LinesToLoad, replaceLines } from './load-lines.ts';
import { makeDue } from '../ops/ledger.ts';
import { KEPT_COLUMNS, type OrderRow, orders } from '../schema/orders.ts';
import { rawOrders } from '../schema/raw.ts';
import { recordset, upsert, valuesIn } from '../db/upsert.ts';
import { stampChanges } from '../ops/change-stamp.ts';
import { putDue, toTriedRow } from '../ops/due.ts';
import { IS_LIVE } from './live-orders.ts';
import { type OrderPersonToKeep, type PersonToKeep, writePersons } from './persons.ts';

/** An order as it is to be stored from now on. */
export type OrderToLoad = {
  readonly row: Cleared<OrderRow>;
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
 *
 * @param input each order once
 */
export async function loadOrders(
  tx: Tx,
  shopId: number,
  input: readonly OrderToLoad[],
  { isReread = false, now }: LoadOptions = {},
): Promise<Loaded> {
  if (input.length === 0) return { added: new Set(), headers: 0, lines: 0 };
  // Before any row is locked, as wherever orders change: a window may be concluded at the same time.
  const changedAt = await stampChanges(tx, shopId);
  const storedOrders = await readStored(tx, shopId, input);
  const toLoad = input.flatMap((order): ToLoad[] => {
    const { order_id: orderId } = order.row;
    const stored = storedOrders.get(orderId);
    return wasSeenLater(stored, order, now)
      ? []
      : [{ ...order, orderId, stored, isNew: stored === undefined }];
  });
  const rows = toLoad.map(({ row }) => row);
  await addReferences(tx, shopId, rows);
  await makeDue(tx, shopId, leftDays(toLoad, isReread));
  const headers = await writeHeaders(tx, shopId, toLoad, isReread, changedAt);
  const withLines = toLoad.flatMap(({ lines, ...order }) => (lines ? [{ ...order, lines }] : []));
  const lines = await replaceLines(tx, shopId, withLines);
  await writePersons(tx, shopId, toLoad.flatMap(personOf));
  const payloads = toLoad.map(({ orderId, payload, seenAt }) => {
    return { shop_id: shopId, order_id: orderId, payload, fetched_at: seenAt };
  });
  await upsert(tx, rawOrders, payloads);
  await bookLines(tx, shopId, isReread ? withLines.filter(({ isNew }) => isNew) : withLines);
  const added = toLoad.filter(({ isNew }) => isNew);
  const pending = added.filter((order) => order.lines === undefined);
  const due = pending.map(({ orderId }) => toTriedRow('lines', orderId, 0, changedAt, null));
  await putDue(tx, shopId, due);
  return { added: new Set(added.map(({ orderId }) => orderId)), headers, lines };
}

/** What must be known of a stored order before it is written. */
type StoredState = {
  /** The day that it counts on; null where it is missing, or deleted, or has no date. */
  readonly day: string | null;
  readonly observedAt: Temporal.Instant;
  readonly ofLines: Pick<typeof orders.$inferSelect, 'lines_state' | 'lines_fetched_at' | 'lines_attempts'>;
};

type ToLoad = OrderToLoad & {
  readonly orderId: string;
  /** As it is stored; undefined where it is new. */
  readonly stored: StoredState | undefined;
  readonly isNew: boolean;
};

async function readStored(
  tx: Tx,
  shopId: number,
  input: readonly OrderToLoad[],
): Promise<ReadonlyMap<string, StoredState>> {
  type Row = Omit<StoredState, 'ofLines'> & StoredState['ofLines'] & { readonly order_id: string };
  const { rows } = await tx.execute<Row>(sql`
    SELECT order_id, CASE WHEN ${IS_LIVE} THEN created_on END AS day, observed_at AS "observedAt",
      lines_state, lines_fetched_at, lines_attempts
    FROM core.orders
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(input.map(({ row }) => row.order_id))}`);
  return new Map(
    rows.map(({ order_id, day, observedAt, ...ofLines }) => [order_id, { day, observedAt, ofLines }]),
  );
}

/** What a clock said that ran ahead is no later than anything. */
function wasSeenLater(
  stored: StoredState | undefined,
  { observedAt }: OrderToLoad,
  now: Temporal.Instant | undefined,
): boolean {
  const isLater = (one: Temporal.Instant, other: Temporal.Instant) =>
    Temporal.Instant.compare(one, other) > 0;
  if (stored === undefined || now === undefined) return false;
  return isLater(stored.observedAt, observedAt) && !isLater(stored.observedAt, now);
}

/** Writes headers that differ. If no lines came, the stored lines and the columns about them stay. @returns how many were written */
async function writeHeaders(
  tx: Tx,
  shopId: number,
  toLoad: readonly ToLoad[],
  isReread: boolean,
  writtenAt: Temporal.Instant,
): Promise<number> {
  const marks = { missing_since: null, deleted_at: null };
  const records = toLoad.map(({ fingerprint, stored, lines, observedAt, row, seenAt }) => {
    const ofLines = stored && lines === undefined ? stored.ofLines : linesColumns(lines);
    const seen = { first_seen_at: seenAt, observed_at: observedAt };
    const written = { changed_at: writtenAt, stored_at: writtenAt };
    return { ...row, ...ofLines, ...seen, ...written, ...marks, shop_id: shopId, fingerprint };
  });
  const insertOnly = isReread ? KEPT_COLUMNS : (['changed_at', 'stored_at', 'first_seen_at'] as const);
  const written = await upsert(tx, orders, records, { silent: ['observed_at', 'views'], insertOnly });
  return written.length;
}

/** What is to be written of an order's person, if anything. */
function personOf({ isNew, lines, orderId, person }: ToLoad): readonly OrderPersonToKeep[] {
  if (person === undefined || (isNew && person === null)) return [];
  const isAnswered = person !== null && lines?.kind === 'fetched';
  return [{ orderId, person: isAnswered ? { ...person, content_rest: lines.rest } : person }];
}

/** Days that orders are about to leave for another day; in a replay, where nothing happened in the shop, also their new days. */
function leftDays(toLoad: readonly ToLoad[], isReread: boolean): readonly string[] {
  const moved = toLoad.flatMap(({ stored, row: { created_on: day } }) => {
    if (!stored || stored.day === null || stored.day === day) return [];
    return isReread && day !== null ? [stored.day, day] : [stored.day];
  });
  return [...new Set(moved)];
}

type References = Pick<OrderRow, 'status_code' | 'pay_status_code' | 'buyer_oid'>;

const REFERENCES = { status_code: 'text', pay_status_code: 'text', buyer_oid: 'bigint' };

/**
 * Adds what orders refer to and the warehouse does not hold yet: codes that the shop made up, which count as no sale until
 * an analyst classifies them, and buyers, of whom only the number is known before the user is fetched.
 */
export async function addReferences(tx: Tx, shopId: number, rows: readonly References[]): Promise<void> {
  await tx.execute(sql`
    WITH input AS MATERIALIZED (SELECT * FROM ${recordset(REFERENCES, rows)}),
    codes AS (
      INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
      SELECT ${shopId}, status_code, status_code, 'unknown', false, false, false FROM input
      GROUP BY status_code ORDER BY status_code
      ON CONFLICT DO NOTHING
    ), payment_codes AS (
      INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented)
      SELECT ${shopId}, pay_status_code, pay_status_code, false FROM input
      GROUP BY pay_status_code ORDER BY pay_status_code
      ON CONFLICT DO NOTHING
    )
    INSERT INTO core.users (shop_id, user_oid, fetch_state)
    SELECT ${shopId}, buyer_oid, CASE WHEN buyer_oid < ${ERASED_BELOW.toString()}::bigint THEN 'erased' ELSE 'pending' END
    FROM input WHERE buyer_oid IS NOT NULL
    GROUP BY buyer_oid ORDER BY buyer_oid
    ON CONFLICT DO NOTHING`);
  const added = rows.flatMap((row) => [row.status_code, row.pay_status_code]);
  if (added.some((code) => code !== '' && !LOOKS_LIKE_CODE.test(code))) await numberCodes(tx, shopId);
}

const LOOKS_LIKE_CODE = new RegExp(CODE_FORM);

const CODES = [
  [sql`core.order_statuses`, sql`status_code`],
  [sql`core.payment_statuses`, sql`pay_status_code`],
] as const;

/** Gives numbers to codes that do not look like codes, by which reports show them. */
async function numberCodes(tx: Tx, shopId: number): Promise<void> {
  for (const [table, code] of CODES) {
    await tx.execute(sql`
      UPDATE ${table} t SET code_no = stored.most + n.place
      FROM (SELECT coalesce(max(code_no), 0) AS most FROM ${table} WHERE shop_id = ${shopId}) stored,
        (SELECT ${code}, row_number() OVER (ORDER BY ${code})::integer AS place FROM ${table}
        WHERE shop_id = ${shopId} AND shown_code = ${HIDDEN_CODE} AND ${code} <> ${HIDDEN_CODE} AND code_no IS NULL) n
      WHERE t.shop_id = ${shopId} AND t.${code} = n.${code}`);
  }
}
