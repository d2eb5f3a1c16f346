/** An element of the order list as a row of core.orders. */
import type { JsonObject } from '../model/json.ts';
import type { OrderPerson, OrderRow } from '../warehouse/schema/orders.ts';
import { type Buyer, customerKey, isGuest } from './customer-key.ts';
import { NOT_AN_ID, parseId } from './numbers.ts';
import {
  localText,
  type LocalTime,
  parseClock,
  parseLocalDate,
  readTime,
  type ShopZone,
  toInstant,
} from './local-time.ts';
import { ORDER_COLUMNS, PERSON_COLUMNS } from './order-fields.ts';
import { type Parse, RecordReader, refused } from './record-reader.ts';
import { unusable, type WithPerson } from './rejection.ts';

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
export function normalizeOrder(sent: JsonObject, context: OrderContext): WithPerson<OrderRow, OrderPerson> {
  const { order_id: key = null } = sent;
  const orderId = parseId(key).value;
  if (orderId === null) return unusable({ resource: 'order', sourceKey: null }, NOT_AN_ID, key);
  const record = new RecordReader(sent, 'order', orderId);
  const columns = record.readColumns(ORDER_COLUMNS);
  const person = record.readColumns(PERSON_COLUMNS);
  const { timezone } = context;
  const created = readCreated(record, context);
  const updated = readTime(record, 'updated', context);
  return {
    row: {
      order_id: orderId,
      // A column that the type checker misses here lacks its field in ORDER_COLUMNS.
      ...columns,
      // The documented "no status" is the empty code.
      status_code: columns.status_code ?? '',
      pay_status_code: columns.pay_status_code ?? '',
      is_guest: isGuest(columns.buyer_oid),
      customer_key: customerKey(orderId, { ...columns, ...person }, context.guestSecret),
      created_on: created && created.local.toPlainDate().toString(),
      created_local: localText(created),
      created_at: toInstant(created, timezone),
      updated_local: localText(updated),
      updated_at: toInstant(updated, timezone),
      withheld: 0,
    },
    person,
    rejections: record.rejections,
  };
}

/** A row of which a few fields are read; its problems are reported when all of it is. */
const unreported = (row: JsonObject) => new RecordReader(row, 'order', null);

/**
 * The order's `created_local` to the minute, for callers that need nothing else; undefined when `created` cannot be read.
 */
export function createdMinute(row: JsonObject, shop: ShopZone): Temporal.PlainDateTime | undefined {
  return createdMinutes.getOrInsertComputed(row, () =>
    readCreated(unreported(row), shop)?.local.with({ second: 0 }),
  );
}

/** A cache: read often while a list is read; rows do not change, and belong to one shop. */
const createdMinutes = new WeakMap<JsonObject, Temporal.PlainDateTime | undefined>();

/** Whether a row says on which day its order was placed, and not when: that may be any time of the day. */
export function isAllDay(row: JsonObject, shop: ShopZone): boolean {
  const record = unreported(row);
  const created = record.read('created', (value) => parseLocalDate(value, shop));
  return created !== null && (record.read('time', parseClock) ?? created.clock) === undefined;
}

function readCreated(record: RecordReader, shop: ShopZone): LocalTime | null {
  const created = record.read('created', (value) => parseLocalDate(value, shop));
  // A time of day without its date is useless, but must not be dropped silently.
  const clock = record.read('time', created === null ? refuseClock : parseClock);
  if (created === null) return null;
  const local = created.date.toPlainDateTime(clock ?? created.clock);
  // A clock of its own says more than the instant: a date alone is sent as its midnight.
  return { local, instant: clock ? undefined : created.instant };
}

const refuseClock: Parse<Temporal.PlainTime> = () => refused('a time of day without a date');

/** Whose order a list row is. */
export function readBuyer(row: JsonObject): Buyer {
  return unreported(row).readColumns({
    buyer_oid: ORDER_COLUMNS.buyer_oid,
    buyer_email: PERSON_COLUMNS.buyer_email,
    buyer_phone: PERSON_COLUMNS.buyer_phone,
  });
}
