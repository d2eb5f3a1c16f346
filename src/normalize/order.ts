/** An element of the order list as a row of core.orders. */
import type { JsonObject } from '../json.ts';
import type { BookkeepingColumn, orders } from '../warehouse/schema/orders.ts';
import { parseInteger, parseMoney, parsePercent, parseQuantity } from './amounts.ts';
import { customerKey, isGuest } from './customer-key.ts';
import { parseFields } from './fields/parse-fields.ts';
import { NOT_AN_ID, parseId } from './id.ts';
import {
  type Clock,
  instantText,
  localText,
  localTime,
  parseClock,
  parseLocalDate,
  parseLocalTime,
  type ShopZone,
} from './local-time.ts';
import { accepted, type Parse, refused } from './reading.ts';
import { isPresent, RecordReader } from './record-reader.ts';
import type { Normalized } from './rejection.ts';
import { parseAnyText, parseCode, parseText, parseTrimmed } from './text.ts';

export type OrderContext = ShopZone & {
  /** Key of the hashes in guests' customer keys. */
  readonly guestSecret: string;
};

/** The columns that come from the wire, without the bookkeeping. */
export type OrderRow = Readonly<Omit<Required<typeof orders.$inferSelect>, 'shop_id' | BookkeepingColumn>>;

/**
 * Reads a list row. A field that cannot be read is null in the row and has a rejection; without a usable `order_id`
 * there is no row.
 *
 * @throws RangeError when `context.timezone` is not an IANA zone; never for data
 */
export function normalizeOrder(row: JsonObject, context: OrderContext): Normalized<OrderRow> {
  const record = new RecordReader(row, { resource: 'order', sourceKey: null });
  const orderId = record.readKey('order_id', parseId);
  if (orderId === null) return record.unusable('order_id', NOT_AN_ID);
  return {
    row: {
      order_id: orderId,
      ...readBuyer(record, orderId, context.guestSecret),
      ...readTimes(record, context),
      ...readState(record),
      ...readAmounts(record),
      ...readDetails(record),
    },
    rejections: record.rejections,
  };
}

/**
 * The order's `created_local` to the minute, for callers that need nothing else; undefined when `created` cannot be read.
 */
export function createdMinute(row: JsonObject, shop: ShopZone): Temporal.PlainDateTime | undefined {
  const known = createdMinutes.get(row);
  if (known !== undefined) return known;
  const created = readCreatedMinute(row, shop);
  if (created !== undefined) createdMinutes.set(row, created);
  return created;
}

/** A cache: read often while a list is read; rows do not change, and belong to one shop. */
const createdMinutes = new WeakMap<JsonObject, Temporal.PlainDateTime>();

function readCreatedMinute(row: JsonObject, shop: ShopZone): Temporal.PlainDateTime | undefined {
  const read = <T>(field: string, parse: Parse<T>) => {
    const value = row[field];
    return isPresent(value) ? parse(value).value : null;
  };
  const created = readCreated({ read }, shop);
  if (created === null) return undefined;
  return created.second === 0 ? created : created.with({ second: 0 });
}

function readCreated(record: Pick<RecordReader, 'read'>, shop: ShopZone): Temporal.PlainDateTime | null {
  const created = record.read('created', (value) => parseLocalDate(value, shop));
  // A time of day without its date is useless, but must not be dropped silently.
  const clock = record.read('time', created === null ? refuseClock : parseClock);
  return created && localTime(created, clock ?? created.clock);
}

const refuseClock: Parse<Clock> = () => refused('a time of day without a date');

function readTimes(record: RecordReader, shop: ShopZone) {
  const { timezone } = shop;
  const created = readCreated(record, shop);
  const updated = record.read('updated', (value) => parseLocalTime(value, shop));
  return {
    created_on: created && created.toPlainDate().toString(),
    created_local: localText(created),
    created_at: instantText(created, timezone),
    updated_local: localText(updated),
    updated_at: instantText(updated, timezone),
  };
}

/** Whose order a list row is: the customer key, and what it is made of. */
export function readCustomer(row: JsonObject, guestSecret: string) {
  const record = new RecordReader(row, { resource: 'order', sourceKey: null });
  const orderId = record.readKey('order_id', parseId) ?? '';
  const { buyer_oid, is_guest, customer_key, buyer_email, buyer_phone } = readBuyer(
    record,
    orderId,
    guestSecret,
  );
  return { buyer_oid, is_guest, customer_key, buyer_email, buyer_phone };
}

function readBuyer(record: RecordReader, orderId: string, guestSecret: string) {
  const buyerOid = record.read('master_oid', parseBuyer);
  const email = record.read('email', parseText);
  const phone = record.read('phone', parseText);
  return {
    buyer_oid: buyerOid,
    is_guest: isGuest(buyerOid),
    customer_key: customerKey({ orderId, buyerOid, email, phone }, guestSecret),
    buyer_name: record.read('fio', parseText),
    buyer_email: email,
    buyer_phone: phone,
    buyer_address: record.read('address', parseText),
    user_unique_key: record.read('user_unique_key', parseText),
  };
}

/** Zero means nobody. */
const parseBuyer: Parse<string> = (value) => {
  const reading = parseId(value);
  return reading.value === '0' ? accepted<string>(null) : reading;
};

function readState(record: RecordReader) {
  return {
    // The documented "no status" is the empty code.
    status_code: record.read('status', parseCode) ?? '',
    pay_status_code: record.read('pay_status', parseCode) ?? '',
    color: record.read('color', parseTrimmed),
    currency: record.read('currency', parseTrimmed),
    pay_method: record.read('pay_method', parseTrimmed),
  };
}

function readAmounts(record: RecordReader) {
  return {
    order_sum: record.read('summ', parseMoney),
    paid_amount: record.read('paid', parseMoney),
    delivery_price: record.read('delivery_price', parseMoney),
    discount_raw: record.read('discount', parseText),
    discount_percent: record.read('discount', parsePercent),
    item_count: record.read('count', parseInteger),
    weight: record.read('weight', parseQuantity),
  };
}

function readDetails(record: RecordReader) {
  return {
    delivery_name: record.read('delivery', parseText),
    delivery_id: record.read('delivery_id', parseId),
    comment: record.read('comment', parseText),
    fields: record.read('fields', parseFields),
    order_hash: record.read('hash', parseText),
    views: record.read('views', parseInteger),
    users_raw: record.read('users', parseAnyText),
  };
}
