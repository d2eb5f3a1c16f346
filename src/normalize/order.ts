/** An element of the order list as a row of core.orders. */
import type { JsonObject } from '../model/json.ts';
import { type Buyer, customerKey, isGuest } from './customer-key.ts';
import { NOT_AN_ID, parseId } from './numbers.ts';
import {
  type Clock,
  toInstant,
  localText,
  type LocalTime,
  localTime,
  parseClock,
  parseLocalDate,
  parseLocalTime,
  type ShopZone,
} from './local-time.ts';
import type { OrderPerson, OrderRow } from '../warehouse/schema/orders.ts';
import { ORDER_FIELDS, type OrderField, PERSON_FIELDS, type PersonField } from './order-fields.ts';
import { columnReader, isPresent, type Parse, RecordReader, refused } from './record-reader.ts';
import type { WithPerson } from './rejection.ts';

export type OrderContext = ShopZone & {
  /** Key of the hashes in guests' customer keys. */
  readonly guestSecret: string;
};

/**
 * Reads a list row. A field that cannot be read is null in the row and has a rejection; without a usable `order_id`
 * there is no row.
 *
 * @throws RangeError when `context.timezone` is not an IANA zone; never for data
 */
export function normalizeOrder(row: JsonObject, context: OrderContext): WithPerson<OrderRow, OrderPerson> {
  const record = new RecordReader<OrderField | PersonField>(row, { resource: 'order', sourceKey: null });
  const orderId = record.readKey('order_id', parseId);
  if (orderId === null) return { ...record.unusable('order_id', NOT_AN_ID), person: undefined };
  const columns = readColumns(record);
  const person = readPerson(record);
  return {
    row: {
      order_id: orderId,
      // A column that the type checker misses here lacks its field in ORDER_FIELDS.
      ...columns,
      // The documented "no status" is the empty code.
      status_code: columns.status_code ?? '',
      pay_status_code: columns.pay_status_code ?? '',
      is_guest: isGuest(columns.buyer_oid),
      customer_key: customerKey(orderId, { ...columns, ...person }, context.guestSecret),
      ...readTimes(record, context),
      withheld: 0,
    },
    person,
    rejections: record.rejections,
  };
}

const readColumns = columnReader(ORDER_FIELDS);
const readPerson = columnReader(PERSON_FIELDS);

/**
 * The order's `created_local` to the minute, for callers that need nothing else; undefined when `created` cannot be read.
 */
export function createdMinute(row: JsonObject, shop: ShopZone): Temporal.PlainDateTime | undefined {
  return createdMinutes.getOrInsertComputed(row, () =>
    readCreated({ read: quietReader(row) }, shop)?.local.with({ second: 0 }),
  );
}

/** A cache: read often while a list is read; rows do not change, and belong to one shop. */
const createdMinutes = new WeakMap<JsonObject, Temporal.PlainDateTime | undefined>();

/** Whether a row says on which day its order was placed, and not when: that may be any time of the day. */
export function isAllDay(row: JsonObject, shop: ShopZone): boolean {
  const read = quietReader(row);
  const created = read('created', (value) => parseLocalDate(value, shop));
  return created !== null && (read('time', parseClock) ?? created.clock) === undefined;
}

/** Reads fields whose problems are reported elsewhere. */
function quietReader(row: JsonObject) {
  return <T>(field: OrderField | PersonField, parse: Parse<T>): T | null => {
    const value = row[field];
    return isPresent(value) ? parse(value).value : null;
  };
}

function readCreated(
  record: { read<T>(field: OrderField, parse: Parse<T>): T | null },
  shop: ShopZone,
): LocalTime | null {
  const created = record.read('created', (value) => parseLocalDate(value, shop));
  // A time of day without its date is useless, but must not be dropped silently.
  const clock = record.read('time', created === null ? refuseClock : parseClock);
  if (created === null) return null;
  // A clock of its own says more than the instant: a date alone is sent as its midnight.
  return { local: localTime(created, clock ?? created.clock), instant: clock ? undefined : created.instant };
}

const refuseClock: Parse<Clock> = () => refused('a time of day without a date');

function readTimes(record: RecordReader<OrderField | PersonField>, shop: ShopZone) {
  const { timezone } = shop;
  const created = readCreated(record, shop);
  const updated = record.read('updated', (value) => parseLocalTime(value, shop));
  return {
    created_on: created && created.local.toPlainDate().toString(),
    created_local: localText(created),
    created_at: toInstant(created, timezone),
    updated_local: localText(updated),
    updated_at: toInstant(updated, timezone),
  };
}

/** Whose order a list row is. */
export function readBuyer(row: JsonObject): Buyer {
  const read = quietReader(row);
  return {
    buyer_oid: read('master_oid', ORDER_FIELDS.master_oid.fills.buyer_oid),
    buyer_email: read('email', PERSON_FIELDS.email.fills.buyer_email),
    buyer_phone: read('phone', PERSON_FIELDS.phone.fills.buyer_phone),
  };
}
