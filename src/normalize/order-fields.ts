/** The fields of a list row that the program reads, apart: those that are known to be impersonal, and those of persons. */
import type { OrderPerson, OrderRow } from '../warehouse/schema/orders.ts';
import { parseId, parseInteger, parseMoney, parsePercent, parseQuantity } from './numbers.ts';
import { parseFields } from './parse-fields.ts';
import { accepted, columnsByField, type ColumnTable, type Parse } from './record-reader.ts';
import { parseCode, parseText, parseTrimmed } from './text.ts';

/** Zero means nobody. */
const parseBuyer: Parse<string> = (value) => {
  const reading = parseId(value);
  return reading.value === '0' ? accepted<string>(null) : reading;
};

export const ORDER_COLUMNS = {
  buyer_oid: ['master_oid', parseBuyer],
  status_code: ['status', parseCode],
  pay_status_code: ['pay_status', parseCode],
  color: ['color', parseTrimmed],
  currency: ['currency', parseTrimmed],
  pay_method: ['pay_method', parseTrimmed],
  order_sum: ['summ', parseMoney],
  paid_amount: ['paid', parseMoney],
  delivery_price: ['delivery_price', parseMoney],
  discount_raw: ['discount', parseText],
  discount_percent: ['discount', parsePercent],
  item_count: ['count', parseQuantity],
  weight: ['weight', parseQuantity],
  delivery_name: ['delivery', parseText],
  delivery_id: ['delivery_id', parseId],
  order_hash: ['hash', parseText],
  views: ['views', parseInteger],
} as const satisfies ColumnTable<OrderRow>;

export const ORDER_FIELDS = columnsByField(ORDER_COLUMNS, ['order_id', 'created', 'time', 'updated']);

export const PERSON_COLUMNS = {
  buyer_name: ['fio', parseText],
  buyer_email: ['email', parseText],
  buyer_phone: ['phone', parseText],
  buyer_address: ['address', parseText],
  comment: ['comment', parseText],
  fields: ['fields', parseFields],
} as const satisfies ColumnTable<OrderPerson>;

export const PERSON_FIELDS = columnsByField(PERSON_COLUMNS, []);

/** Documented, and kept with the person as they were sent. */
const UNREAD_FIELDS = ['user_unique_key', 'users'];

/** All documented fields: any other is new. */
export const DOCUMENTED_FIELDS: ReadonlySet<string> = new Set([
  ...ORDER_FIELDS.keys(),
  ...PERSON_FIELDS.keys(),
  ...UNREAD_FIELDS,
]);
