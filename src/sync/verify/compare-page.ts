import type { LedgerDay } from '../../model/ledger-day.ts';
import { createdMinute, readBuyer } from '../../normalize/order.ts';
import { contentLines } from '../../shop-api/endpoints/order-content.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { findDifferences } from '../../warehouse/orders/compare-orders.ts';
import { readProfiles, readWithheld } from '../../warehouse/orders/persons.ts';
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

type ComparePorts = Pick<Ports, 'api' | 'db' | 'lease' | 'privacy' | 'shop' | 'signal'>;

/**
 * Compares listed orders with the stored ones: by fingerprint, and column by column, in case the rows were edited.
 *
 * @param isAsked.columns false if an older normalizer made the rows, which may then differ for good reason
 * @returns `rows`: the shop's orders as they would be stored; `unread`: how many contents could not be read
 */
export async function comparePage(
  ports: ComparePorts,
  listed: readonly ListRow[],
  isAsked: { readonly columns: boolean; readonly lines: boolean },
  isSweepDue: ReturnType<typeof createSweepExpectation>,
) {
  const { db, lease, shop } = ports;
  const read = await readAsStored(ports, listed);
  const toCompare = read.map(({ fingerprint, isComparable, orderId, person, row }) => {
    const own = isAsked.columns && isComparable ? { row, person } : {};
    // A deleted order is none of the warehouse.
    return { orderId, ...own, row: { ...own.row, order_id: orderId, fingerprint, deleted_at: null } };
  });
  const kinds = new Map<string, OrderDifference['kind']>();
  for (const { column_name, order_id } of await findDifferences(db, lease.shopId, toCompare)) {
    const isAbsent = column_name === 'order_id' || column_name === 'deleted_at';
    if (isAbsent || !kinds.has(order_id)) kinds.set(order_id, isAbsent ? 'not in the warehouse' : 'differs');
  }
  const wanted = read.filter(({ hidesLines, orderId }) => {
    return isAsked.lines && !hidesLines && kinds.get(orderId) !== 'not in the warehouse';
  });
  const lines = await fetchLines(ports, wanted);
  for (const { order_id } of await findDifferences(db, lease.shopId, lines)) {
    if (!kinds.has(order_id)) kinds.set(order_id, 'lines differ');
  }
  const differences = listed.flatMap(({ orderId, raw }): OrderDifference[] => {
    const kind = kinds.get(orderId);
    return kind === undefined ? [] : [ofListed(orderId, kind, createdMinute(raw, shop), isSweepDue)];
  });
  return { rows: read.flatMap(({ row }) => row ?? []), differences, unread: wanted.length - lines.length };
}

/** An order that the shop lists. @param created when it was placed, by the list */
export function ofListed(
  orderId: string,
  kind: OrderDifference['kind'],
  created: Dated['created'],
  isSweepDue: (order: Dated) => boolean,
): OrderDifference {
  const day = created?.toPlainDate().toString() ?? null;
  return { order_id: orderId, day, kind, is_sweep_due: isSweepDue({ day, created }), confirmed_at: null };
}

type AsStored = Awaited<ReturnType<typeof readAsStored>>[number];

/**
 * Orders as they would be stored. Where no person is stored, the texts that were withheld when the account was read cannot be told
 * from others any more: such an order is not compared, nor are its lines, and its currency is the stored one.
 */
async function readAsStored({ db, lease, privacy }: ComparePorts, listed: readonly ListRow[]) {
  const buyers = listed.map(({ raw }) => readBuyer(raw).buyer_oid ?? '');
  const profiles = await readProfiles(db, lease.shopId, [...new Set(buyers)].filter(Boolean));
  const ids = listed.map(({ orderId }) => orderId);
  const withheld = await readWithheld(db, lease.shopId, ids);
  return listed.map(({ orderId, raw }, at) => {
    const order = privacy.order(raw, profiles.get(buyers[at] ?? ''));
    const { row, isStripped } = order;
    const { currency = null, inLines = 0, inOrder = 0 } = withheld.get(orderId) ?? {};
    const isComparable = !isStripped || row === undefined || inOrder <= row.withheld;
    return {
      ...order,
      orderId,
      fingerprint: privacy.fingerprint(raw),
      row: row && (isComparable ? row : { ...row, currency }),
      isComparable,
      hidesLines: isStripped && inLines > 0,
    };
  });
}

/** Lines as they would be stored, by order; none of those that cannot be read. */
async function fetchLines({ api, privacy, signal }: ComparePorts, orders: readonly AsStored[]) {
  const read = await Promise.all(
    orders.map(async ({ orderId, ...order }) => {
      const content = await attempt(api.orderContent(orderId, signal), signal);
      if (content?.kind !== 'found') return [];
      return { orderId, lines: privacy.lines(orderId, content.raw, contentLines(content.raw), order).rows };
    }),
  );
  return read.flat();
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
