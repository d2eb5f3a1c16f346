import type { LedgerDay } from '../../model/ledger-day.ts';
import { createdMinute, readBuyer } from '../../normalize/order.ts';
import type { OfOrder, ReadOrder } from '../../normalize/privacy/privacy.ts';
import { contentLines } from '../../shop-api/endpoints/order-content.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { findDifferences } from '../../warehouse/orders/compare-orders.ts';
import { readProfiles, readWithheld, type Withheld } from '../../warehouse/orders/persons.ts';
import { isDeleted, readOrdersById } from '../../warehouse/orders/stored-orders.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Ports } from '../run/context.ts';

export type OrderDifference = {
  readonly order_id: string;
  /** Its day in the shop, or in the warehouse if the shop does not list it; null where it has no date. */
  readonly day: string | null;
  readonly kind: 'not in the warehouse' | 'not in the shop' | 'differs' | 'lines differ';
  /** Its day is due, or it is newer than its day's last verification: the next sweep sees to it anyway. */
  readonly is_sweep_due: boolean;
  /** When it is looked for once more, where the list lacked it before: then it is deleted. */
  readonly confirmed_at: string | null;
};

/**
 * Compares listed orders with the stored ones: by fingerprint, and column by column, in case the rows were edited.
 *
 * @returns `rows`: the shop's orders as they would be stored; `unread`: how many contents could not be read
 * @param isAsked.columns false if an older normalizer made the rows, which may then differ for good reason
 */
export async function compareListed(
  ports: Pick<Ports, 'api' | 'db' | 'lease' | 'privacy' | 'shop' | 'signal'>,
  listed: readonly ListRow[],
  isAsked: { readonly columns: boolean; readonly lines: boolean },
  isSweepDue: ReturnType<typeof createSweepExpectation>,
) {
  const { db, lease, privacy, shop } = ports;
  const ids = listed.map((row) => row.orderId);
  const held = await readOrdersById(db, lease.shopId, ids);
  const live = new Map([...held].filter(([, order]) => !isDeleted(order)));
  const buyers = listed.map(({ raw }) => readBuyer(raw).buyer_oid ?? '');
  const profiles = await readProfiles(db, lease.shopId, [...new Set(buyers)].filter(Boolean));
  const withheld = await readWithheld(db, lease.shopId, ids);
  const read = listed
    .map(({ raw }, at) => privacy.order(raw, profiles.get(buyers[at] ?? '')))
    .map((order) => asWithheld(order, withheld.get(order.row?.order_id ?? '')));
  const rows = read.flatMap(({ row }) => row ?? []);
  const asked = listed.flatMap(({ orderId }, index) => {
    const order = read[index];
    const isHidden = order?.isStripped === true && (withheld.get(orderId)?.inLines ?? 0) > 0;
    if (!isAsked.lines || !live.has(orderId) || order === undefined || isHidden) return [];
    return { orderId, isStripped: order.isStripped, finds: order.finds };
  });
  const lines = await fetchLines(ports, asked);
  const given = listed.map(({ orderId }, index) => {
    const { row, person, isComparable } = read[index] ?? {};
    const own = isAsked.columns && isComparable === true ? { row, person } : {};
    return { orderId, ...own, lines: lines.get(orderId) };
  });
  const differing = await findDifferences(db, lease.shopId, given);
  const differ = new Set(differing.flatMap(({ order_id, line_no }) => (line_no === 0 ? [order_id] : [])));
  const linesDiffer = new Set(differing.flatMap(({ order_id, line_no }) => (line_no > 0 ? [order_id] : [])));
  const differences = listed.flatMap(({ orderId, raw }): OrderDifference[] => {
    const stored = live.get(orderId);
    const isSame = stored?.fingerprint === privacy.fingerprint(raw) && !differ.has(orderId);
    if (isSame && !linesDiffer.has(orderId)) return [];
    const differs = isSame ? 'lines differ' : 'differs';
    const kind = stored === undefined ? 'not in the warehouse' : differs;
    const created = createdMinute(raw, shop);
    const day = created?.toPlainDate().toString() ?? null;
    const is_sweep_due = isSweepDue({ day, created });
    return [{ order_id: orderId, day, kind, is_sweep_due, confirmed_at: null }];
  });
  return { rows, differences, unread: asked.length - lines.size };
}

/**
 * Where no person is stored, the texts that were withheld when the account was read cannot be told from others any more: they are not
 * compared, nor shown.
 */
function asWithheld(order: ReadOrder, stored: Withheld | undefined) {
  const { row, isStripped } = order;
  const isComparable = !isStripped || row === undefined || (stored?.inOrder ?? 0) <= row.withheld;
  if (isComparable) return { ...order, isComparable };
  return { ...order, isComparable, row: { ...row, currency: stored?.currency ?? null } };
}

/** Lines as they would be stored, by order; none of those that cannot be read. */
async function fetchLines(
  { api, privacy, signal }: Pick<Ports, 'api' | 'privacy' | 'signal'>,
  orders: readonly (OfOrder & { readonly orderId: string })[],
) {
  const read = await Promise.all(
    orders.map(async ({ orderId, ...order }) => {
      const content = await attempt(api.orderContent(orderId, signal), signal);
      if (content?.kind !== 'found') return [];
      return [[orderId, privacy.lines(orderId, content.raw, contentLines(content.raw), order).rows] as const];
    }),
  );
  return new Map(read.flat());
}

/** An order, by where it belongs. */
type Dated = {
  readonly day: string | null;
  /** When it was placed, in the shop's own time, to the minute; undefined where the shop does not list it. */
  readonly created: Temporal.PlainDateTime | undefined;
};

/**
 * Tells the orders that the next sweep is to see to anyway, so that a difference of theirs is none of what is verified:
 * those of days that are due, and those that were placed after their day was last verified.
 */
export function createSweepExpectation(
  ledger: readonly LedgerDay[],
  timezone: string,
): (order: Dated) => boolean {
  return ({ day, created }) => {
    if (day === null) return false;
    // A day without a row was verified together with the next one that has one.
    const row = ledger.find((known) => Temporal.PlainDate.compare(known.day, day) >= 0);
    if (row?.verifiedAt === undefined || row.isDue) return true;
    // The shop shows minutes: it may have been placed at the end of one.
    const placed = created?.add({ minutes: 1 }).toZonedDateTime(timezone).toInstant();
    return placed !== undefined && Temporal.Instant.compare(placed, row.verifiedAt) > 0;
  };
}
