/** The fields of a list row that the program reads. All others are kept in the raw payload only. */
import type { BookkeepingColumn, orders } from '../warehouse/schema/orders.ts';
import { parseInteger, parseMoney, parsePercent, parseQuantity } from './amounts.ts';
import { fieldFinder, type FieldTable } from './field-table.ts';
import { parseFields } from './fields/parse-fields.ts';
import { parseId } from './id.ts';
import { parseClock, parseLocalDate, parseLocalTime } from './local-time.ts';
import { currency, discount, editedCode, editedText, figure, state } from './privacy/kept.ts';
import { accepted, type Parse } from './reading.ts';
import { parseAnyText, parseCode, parseText, parseTrimmed } from './text.ts';

/** The columns that come from the wire, without the bookkeeping. */
export type OrderRow = Readonly<Omit<Required<typeof orders.$inferSelect>, 'shop_id' | BookkeepingColumn>>;

/** Zero means nobody. */
const parseBuyer: Parse<string> = (value) => {
  const reading = parseId(value);
  return reading.value === '0' ? accepted<string>(null) : reading;
};

export const ORDER_FIELDS = {
  order_id: { fills: {}, kept: figure(parseId) },
  master_oid: { fills: { buyer_oid: parseBuyer }, kept: figure(parseId) },
  email: { fills: { buyer_email: parseText }, kept: null },
  phone: { fills: { buyer_phone: parseText }, kept: null },
  fio: { fills: { buyer_name: parseText }, kept: null },
  address: { fills: { buyer_address: parseText }, kept: null },
  user_unique_key: { fills: { user_unique_key: parseText }, kept: null },
  created: { fills: {}, kept: figure(parseLocalDate) },
  time: { fills: {}, kept: figure(parseClock) },
  updated: { fills: {}, kept: figure(parseLocalTime) },
  status: { fills: { status_code: parseCode }, kept: state },
  pay_status: { fills: { pay_status_code: parseCode }, kept: state },
  color: { fills: { color: parseTrimmed }, kept: editedCode },
  currency: { fills: { currency: parseTrimmed }, kept: currency },
  pay_method: { fills: { pay_method: parseTrimmed }, kept: editedCode },
  summ: { fills: { order_sum: parseMoney }, kept: figure(parseMoney) },
  paid: { fills: { paid_amount: parseMoney }, kept: figure(parseMoney) },
  delivery_price: { fills: { delivery_price: parseMoney }, kept: figure(parseMoney) },
  discount: { fills: { discount_raw: parseText, discount_percent: parsePercent }, kept: discount },
  count: { fills: { item_count: parseInteger }, kept: figure(parseInteger) },
  weight: { fills: { weight: parseQuantity }, kept: figure(parseQuantity) },
  delivery: { fills: { delivery_name: parseText }, kept: editedText },
  delivery_id: { fills: { delivery_id: parseId }, kept: figure(parseId) },
  comment: { fills: { comment: parseText }, kept: null },
  // The names and values that many customers share are kept, see `form-fields.ts`.
  fields: { fills: { fields: parseFields }, kept: null },
  hash: { fills: { order_hash: parseText }, kept: null },
  views: { fills: { views: parseInteger }, kept: figure(parseInteger) },
  users: { fills: { users_raw: parseAnyText }, kept: null },
} as const satisfies FieldTable<OrderRow>;

export type OrderField = keyof typeof ORDER_FIELDS;

/** The field from which a column was read. */
export const orderFieldOf = fieldFinder(ORDER_FIELDS);

/** Columns of which nothing is left in an order without its person, but for the fields that many customers share. */
export const PERSONAL_ORDER_COLUMNS: readonly string[] = Object.values(ORDER_FIELDS).flatMap(
  ({ fills, kept }) => (kept === null ? Object.keys(fills) : []),
);
