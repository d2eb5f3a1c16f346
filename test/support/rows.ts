/** Records as the sync hands them to the warehouse, for tests that care about a few columns of them. */
import { normalizeOrder } from '../../src/normalize/order.ts';
import type { GroupToStore } from '../../src/warehouse/directory/groups.ts';
import type { LinesToLoad } from '../../src/warehouse/orders/load-lines.ts';
import type { OrderToLoad } from '../../src/warehouse/orders/load-orders.ts';
import type { UserToStore } from '../../src/warehouse/directory/users.ts';
import { cleared } from './cleared.ts';

export type OrderRow = OrderToLoad['row'];
type Fetched = Extract<LinesToLoad, { kind: 'fetched' }>;
export type LineRow = Fetched['rows'][number];

export const at = (text: string) => Temporal.Instant.from(text);

/** When the records of these makers are seen, unless told otherwise. */
export const SEEN = at('2026-03-10T08:00:00Z');

/** What normalizing makes of an order that says nothing but its number, and then what tests look at. */
function orderRow(orderId: string, changes: Partial<OrderRow> = {}): OrderRow {
  const { row } = normalizeOrder({ order_id: orderId }, { timezone: 'Europe/Berlin', guestSecret: 'test' });
  if (row === undefined) throw new Error(`${orderId} is no order number`);
  return cleared({
    ...row,
    status_code: 'A',
    pay_status_code: 'S',
    buyer_oid: '42',
    is_guest: false,
    customer_key: 'u:42',
    created_on: '2026-03-01',
    created_local: '2026-03-01T09:05:00',
    created_at: at('2026-03-01T08:05:00Z'),
    updated_local: '2026-03-02T10:00:00',
    updated_at: at('2026-03-02T09:00:00Z'),
    currency: 'EUR',
    pay_method: 'card',
    order_sum: '100.00',
    paid_amount: '0.00',
    delivery_price: '4.90',
    item_count: '2.000',
    weight: '1.500',
    delivery_name: 'Courier',
    delivery_id: '3',
    order_hash: 'hash',
    views: 7,
    ...changes,
  });
}

export type OrderPerson = NonNullable<OrderToLoad['person']>;

export function orderPerson(changes: Partial<OrderPerson> = {}): OrderPerson {
  return cleared({
    buyer_name: 'A name',
    buyer_email: null,
    buyer_phone: null,
    buyer_address: null,
    comment: null,
    fields: { gift: { value: 'yes', name: 'gift', label: 'Gift' } },
    rest: { user_unique_key: 'key' },
    ...changes,
  });
}

export function lineRow(orderId: string, lineNo: number, changes: Partial<LineRow> = {}): LineRow {
  return {
    order_id: orderId,
    line_no: lineNo,
    line_oid: `${lineNo}_spec`,
    product_oid: String(lineNo),
    spec_hash: 'spec',
    code: 'code',
    product_name: `Product ${lineNo}`,
    sku: null,
    quantity: '1.000',
    unit_price: '50.00',
    line_total: '50.00',
    list_price: '50.00',
    list_total: '50.00',
    discount_raw: null,
    discount_percent: null,
    withheld: 0,
    ...changes,
  };
}

export function fetched(rows: readonly LineRow[], fetchedAt = SEEN, doubtfulAttempts?: number): Fetched {
  return {
    kind: 'fetched',
    rows,
    payload: cleared({ ordercontent: rows.map((row) => row.code ?? null), success: 1 }),
    rest: null,
    fetchedAt,
    doubtfulAttempts,
  };
}

/** Lines that could not be fetched. */
export function lost(attempts = 1, triedAt = SEEN, reason = 'refused'): LinesToLoad {
  return { kind: 'failed', attempts, triedAt, reason };
}

/** An order with two lines; `row` and `lines` may be given in part, and its payload tells its status and sum. */
export function orderToLoad(
  orderId: string,
  changes: Partial<Omit<OrderToLoad, 'row'>> & { readonly row?: Partial<OrderRow> } = {},
): OrderToLoad {
  const row = orderRow(orderId, changes.row);
  const seenAt = changes.seenAt ?? SEEN;
  return {
    fingerprint: `print ${row.status_code} ${row.order_sum}`,
    person: orderPerson(),
    payload: cleared({ order_id: orderId, status: row.status_code, summ: row.order_sum ?? null }),
    observedAt: seenAt,
    lines: fetched([lineRow(orderId, 1), lineRow(orderId, 2)]),
    ...changes,
    row,
    seenAt,
  };
}

/** An order whose stored payload is normalized again. */
export function reread(order: OrderToLoad): OrderToLoad {
  const { lines } = order;
  return { ...order, lines: lines?.kind === 'fetched' ? lines : undefined };
}

type UserRow = NonNullable<UserToStore['row']>;
type UserPerson = NonNullable<UserToStore['person']>;

export function foundUser(userOid: string, changes: Partial<UserRow & UserPerson> = {}, fetchedAt = SEEN) {
  const row = {
    user_oid: userOid,
    group_oid: '90',
    level: null,
    owner_oid: '3',
    visible: '1',
    access: '0',
    created_local: null,
    updated_local: null,
    created_at: null,
  };
  const person = {
    login: 'anna',
    email: 'anna@mail.example',
    phone: null,
    name: 'Anna',
    org_name: null,
    gender: null,
    address: null,
    images: null,
    content: { email: 'anna@mail.example' },
    rest: null,
  };
  const given = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries({ ...part, ...changes }).filter(([column]) => Object.hasOwn(part, column)),
    ) as Part;
  const payload = cleared({ oid: userOid });
  const parts = { row: cleared(given(row)), person: cleared(given(person)), payload };
  return { userOid, fetchedAt, fetchState: 'ok', ...parts } satisfies UserToStore;
}

export function groupToStore(groupOid: string, name: string, fetchedAt = SEEN) {
  const texts = { url: null, type: null, template: null, visible: null, access: null };
  const row = { group_oid: groupOid, parent_oid: '0', name, sort: 1, owner_oid: '3', ...texts };
  return {
    groupOid,
    fetchedAt,
    row: cleared({ ...row, created_local: null, updated_local: null }),
    payload: cleared({ oid: groupOid, name }),
  } satisfies GroupToStore;
}
